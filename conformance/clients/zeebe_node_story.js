#!/usr/bin/env node
// A story told with zeebe-node, the client for Node.js, unmodified.
//
// usage: zeebe_node_story.js GRPC_ADDRESS HTTP_URL
//
// Prints a line for every step; exits 1 at the first that went wrong. Finds zeebe-node where Node
// does (NODE_PATH), or in the folder $ORLOJ_TEST_CLIENTS.
'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const { ZBClient } = require(
	process.env.ORLOJ_TEST_CLIENTS
		? path.resolve(process.env.ORLOJ_TEST_CLIENTS, 'node/node_modules/zeebe-node')
		: 'zeebe-node'
)

const [address, http] = process.argv.slice(2)
if (!address || !http) {
	console.error('usage: zeebe_node_story.js GRPC_ADDRESS HTTP_URL')
	process.exit(2)
}
const RUN = `n${crypto.randomBytes(6).toString('hex')}`
const PATIENCE_MS = 30_000
// As gRPC numbers them.
const INVALID_ARGUMENT = 3
const DEADLINE_EXCEEDED = 4
const NOT_FOUND = 5
const FAILED_PRECONDITION = 9

const client = new ZBClient(address, { retry: false, useTLS: false, loglevel: 'NONE', longPoll: 60_000 })

// ---- how things are called

function model(name) {
	const file = path.join(__dirname, 'models', name)
	return Buffer.from(fs.readFileSync(file, 'utf8').replaceAll('-RUN', `-${RUN}`))
}

async function start(process, variables = {}) {
	const created = await client.createProcessInstance({ bpmnProcessId: `${process}-${RUN}`, variables })
	return created.processInstanceKey
}

// The client's own activateJobs never says that there was nothing, so its stream is read.
async function poll(type, { waitMs = -1, fetchVariable = [] } = {}) {
	const stream = await client.grpc.activateJobsStream({
		type: `${type}-${RUN}`,
		worker: 'nora',
		timeout: 600_000,
		maxJobsToActivate: 10,
		requestTimeout: waitMs,
		fetchVariable,
	})
	const jobs = []
	return new Promise((resolve, reject) => {
		stream.on('data', message => jobs.push(...message.jobs))
		stream.on('error', reject)
		stream.on('end', () => resolve(jobs.map(parsed)))
	})
}

function parsed(job) {
	return { ...job, variables: JSON.parse(job.variables), customHeaders: JSON.parse(job.customHeaders) }
}

async function take(type, options = {}) {
	const jobs = await poll(type, { waitMs: 10_000, ...options })
	assert.equal(jobs.length, 1, `jobs of type ${type}`)
	return jobs[0]
}

async function refused(code, call, ...words) {
	try {
		await call
	} catch (error) {
		assert.equal(error.code, code, error.message)
		for (const word of words) assert.ok(error.message.includes(word), `${word} in ${error.message}`)
		return
	}
	assert.fail(`status ${code} was expected`)
}

// Zeebe's protocol has no way to ask for incidents, so Orloj's own API is asked.
async function incidentOf(instance) {
	const answer = await fetch(`${http}/api/incidents?instance=${instance}`)
	const { items } = await answer.json()
	assert.equal(items.length, 1, 'incidents')
	return items[0].key
}

const cancel = key => client.cancelProcessInstance(key)
const complete = (jobKey, variables = {}) => client.completeJob({ jobKey, variables })
const fail = (jobKey, retries, retryBackOff = 0) =>
	client.failJob({ jobKey, retries, errorMessage: 'card reader on fire', retryBackOff })

// ---- the story

const story = {
	async 'the cluster tells its topology'() {
		const topology = await client.topology()
		assert.equal(topology.partitionsCount, 1)
		assert.match(topology.gatewayVersion, /^8\./)
		assert.equal(topology.brokers[0].partitions[0].role, 'LEADER')
	},

	async 'a model is deployed, and the same again makes no new version'() {
		const deploy = name => client.deployResource({ name, process: model(name) })
		const first = await deploy('order.bpmn')
		const again = await deploy('order.bpmn')
		assert.equal(first.deployments[0].process.version, 1)
		assert.deepEqual(again.deployments[0].process, first.deployments[0].process)
		await deploy('greet.bpmn')
	},

	async 'a broken model is refused'() {
		const broken = Buffer.from('not XML')
		const call = client.deployResource({ name: 'broken.bpmn', process: broken })
		await refused(INVALID_ARGUMENT, call, 'broken.bpmn')
	},

	async 'what does not exist is not found'() {
		const unknown = client.createProcessInstance({ bpmnProcessId: 'nobody', variables: {} })
		await refused(NOT_FOUND, unknown, 'nobody')
		await refused(NOT_FOUND, complete('77'), 'COMPLETE', '77')
		await refused(NOT_FOUND, fail('77', 1), 'FAIL', '77')
		await refused(NOT_FOUND, cancel('77'), '77')
		await refused(NOT_FOUND, client.resolveIncident({ incidentKey: '77' }), '77')
		await refused(NOT_FOUND, client.updateJobRetries({ jobKey: '77', retries: 1 }), '77')
		const variables = { elementInstanceKey: '77', variables: { a: 1 }, local: true }
		await refused(NOT_FOUND, client.setVariables(variables), '77')
	},

	async 'a job is worked step by step'() {
		const instance = await start('order', { total: 90, customer: 'anna' })
		const job = await take('charge', { fetchVariable: ['total', 'nothing'] })
		assert.equal(job.processInstanceKey, instance)
		assert.deepEqual(job.variables, { total: 90 })
		assert.deepEqual(job.customHeaders, { method: 'card', limit: '100' })
		assert.equal(job.retries, 3)
		assert.equal(job.worker, 'nora')
		assert.deepEqual(await poll('charge'), [])
		await complete(job.key, { paid: true })
		await refused(NOT_FOUND, complete(job.key), 'COMPLETE', job.key)
		const ship = await take('ship')
		assert.deepEqual(ship.variables, { total: 90, customer: 'anna', paid: true })
		await complete(ship.key)
		await refused(NOT_FOUND, cancel(instance))
	},

	async 'a failed job comes back after its back-off'() {
		const resting = await start('order')
		const late = await take('charge')
		await fail(late.key, 1, 3_600_000)
		assert.deepEqual(await poll('charge'), [])
		await refused(FAILED_PRECONDITION, complete(late.key), 'COMPLETE', late.key)
		await cancel(resting)
		const instance = await start('order')
		const job = await take('charge')
		await fail(job.key, 1, 100)
		const again = await take('charge')
		assert.deepEqual([again.key, again.retries], [job.key, 1])
		await cancel(instance)
	},

	async 'an incident is resolved'() {
		const instance = await start('order')
		const job = await take('charge')
		await fail(job.key, 0)
		const incidentKey = await incidentOf(instance)
		await refused(FAILED_PRECONDITION, client.resolveIncident({ incidentKey }), 'retries')
		await client.updateJobRetries({ jobKey: job.key, retries: 2 })
		assert.deepEqual(await poll('charge'), [])
		await client.resolveIncident({ incidentKey })
		const again = await take('charge')
		assert.deepEqual([again.key, again.retries], [job.key, 2])
		await cancel(instance)
	},

	async 'errors are caught or become incidents'() {
		await start('order')
		const job = await take('charge')
		await client.throwError({ jobKey: job.key, errorCode: 'CARD_REFUSED', errorMessage: '', variables: { reason: 'limit' } })
		const remind = await take('remind')
		assert.deepEqual(remind.variables, { reason: 'limit' })
		await complete(remind.key)

		const instance = await start('order')
		const other = await take('charge')
		await client.throwError({ jobKey: other.key, errorCode: 'EARTHQUAKE', errorMessage: '' })
		await client.resolveIncident({ incidentKey: await incidentOf(instance) })
		assert.equal((await take('charge')).key, other.key)
		await cancel(instance)
	},

	async 'variables are set from outside'() {
		const instance = await start('order', { note: 'old' })
		const job = await take('charge')
		const set = (elementInstanceKey, note, local) =>
			client.setVariables({ elementInstanceKey, variables: { note }, local })
		await set(instance, 'all', false)
		await set(job.elementInstanceKey, 'here', true)
		await fail(job.key, 3)
		assert.deepEqual((await take('charge')).variables, { note: 'here' })
		await complete(job.key)
		const ship = await take('ship')
		assert.deepEqual(ship.variables, { note: 'all' })
		await cancel(instance)
		await refused(NOT_FOUND, complete(ship.key))
	},

	async 'a poll waits for a job that comes later'() {
		const waiting = take('charge', { waitMs: 20_000 })
		await sleep(500)
		const instance = await start('order')
		assert.equal((await waiting).processInstanceKey, instance)
		await cancel(instance)
	},

	async 'workers finish awaited instances'() {
		const greeted = []
		const quiet = { longPoll: 10_000, loglevel: 'NONE' }
		const workers = [
			client.createWorker({
				...quiet,
				taskType: `greet-${RUN}`,
				taskHandler: job => {
					greeted.push(job.variables.who)
					return job.complete({ greeting: `ahoj ${job.variables.who}`, private: 1 })
				},
			}),
			client.createWorker({
				...quiet,
				taskType: `charge-${RUN}`,
				taskHandler: job =>
					job.retries === 3
						? job.fail({ errorMessage: 'try again', retries: 2, retryBackOff: 100 })
						: job.error('CARD_REFUSED', 'no money'),
			}),
			client.createWorker({
				...quiet,
				taskType: `remind-${RUN}`,
				taskHandler: job => job.complete({ reminded: true }),
			}),
		]
		const run = (process, variables, more = {}) =>
			client.createProcessInstanceWithResult({
				bpmnProcessId: `${process}-${RUN}`,
				variables,
				requestTimeout: PATIENCE_MS,
				...more,
			})
		const names = Array.from({ length: 10 }, (_, number) => `guest ${number}`)
		const answers = await Promise.all(names.map(name => run('greet', { name })))
		answers.forEach((answer, at) =>
			assert.deepEqual(answer.variables, { name: names[at], answer: `ahoj ${names[at]}` })
		)
		assert.deepEqual(greeted.sort(), names)
		const one = await run('greet', { name: 'zoe' }, { fetchVariables: ['answer'] })
		assert.deepEqual(one.variables, { answer: 'ahoj zoe' })
		const order = await run('order', { total: 1 })
		assert.equal(order.variables.reminded, true)
		await Promise.all(workers.map(worker => worker.close()))
	},

	async 'jobs are pushed to a stream'() {
		const stream = await client.grpc.streamActivatedJobsStream({
			type: `greet-${RUN}`,
			worker: 'sarah',
			timeout: 60_000,
			fetchVariable: ['who'],
		})
		const pushed = []
		stream.on('data', job => pushed.push(parsed(job)))
		const ended = new Promise(resolve => stream.on('error', resolve))
		await sleep(300)
		const names = ['cyril', 'dana', 'eva']
		for (const name of names) await start('greet', { name })
		for (let waited = 0; pushed.length < names.length; waited += 20) {
			assert.ok(waited < PATIENCE_MS, `${pushed.length} jobs were pushed`)
			await sleep(20)
		}
		assert.deepEqual(pushed.map(job => job.variables.who).sort(), names)
		assert.equal(pushed[0].worker, 'sarah')
		for (const job of pushed) await complete(job.key, { greeting: 'ahoj' })
		stream.cancel()
		assert.equal((await ended).code, 1)
	},

	async 'a result that does not come in time is told so'() {
		const call = client.createProcessInstanceWithResult({
			bpmnProcessId: `order-${RUN}`,
			variables: {},
			requestTimeout: 1_000,
		})
		await refused(DEADLINE_EXCEEDED, call)
	},
}

async function tell() {
	for (const [name, step] of Object.entries(story)) {
		const late = sleep(4 * PATIENCE_MS, undefined, { ref: false }).then(() => assert.fail('took too long'))
		try {
			await Promise.race([step(), late])
		} catch (error) {
			console.log(`FAILED  ${name}\n        ${error.stack}`)
			return 1
		}
		console.log(`ok      ${name}`)
	}
	await client.close()
	console.log(`passed  zeebe-node against ${address}`)
	return 0
}

tell().then(code => process.exit(code))
