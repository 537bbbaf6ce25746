#!/usr/bin/env python3
"""A story told with pyzeebe, the Python client, unmodified.

usage: pyzeebe_story.py GRPC_ADDRESS HTTP_URL

Prints a line for every step; exits 1 at the first that went wrong. What pyzeebe has no method for
(polls by hand, incidents, retries, variables) goes through the stubs it brings along.
"""

import asyncio
import json
import sys
import time
import urllib.request
import uuid
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc
from pyzeebe import (
    Job,
    JobController,
    ZeebeClient,
    ZeebeWorker,
    create_insecure_channel,
)
from pyzeebe.errors import (
    BusinessError,
    InvalidJSONError,
    JobAlreadyDeactivatedError,
    JobNotFoundError,
    ProcessDefinitionNotFoundError,
    ProcessInstanceNotFoundError,
    ProcessInvalidError,
    ProcessTimeoutError,
)
from pyzeebe.proto.gateway_pb2 import (
    ActivateJobsRequest,
    ResolveIncidentRequest,
    SetVariablesRequest,
    UpdateJobRetriesRequest,
)
from pyzeebe.proto.gateway_pb2_grpc import GatewayStub

MODELS = Path(__file__).parent / "models"
RUN = "p" + uuid.uuid4().hex[:12]
PATIENCE = 30


class Story:
    def __init__(self, address: str, http: str, folder: Path) -> None:
        self.http = http
        self.folder = folder
        self.channel = create_insecure_channel(grpc_address=address)
        self.client = ZeebeClient(self.channel)
        self.gateway = GatewayStub(self.channel)
        self.jobs = self.client.zeebe_adapter

    # ---- how things are called

    def model(self, name: str) -> Path:
        file = self.folder / name
        file.write_text((MODELS / name).read_text().replace("-RUN", f"-{RUN}"))
        return file

    async def start(self, process: str, **variables: object) -> int:
        created = await self.client.run_process(f"{process}-{RUN}", variables)
        return created.process_instance_key

    async def poll(self, kind: str, wait_ms: int = -1, limit: int = 10, fetch: list[str] | None = None):
        request = ActivateJobsRequest(
            type=f"{kind}-{RUN}",
            worker="paul",
            timeout=600_000,
            maxJobsToActivate=limit,
            requestTimeout=wait_ms,
            fetchVariable=fetch or [],
        )
        jobs = []
        async for message in self.gateway.ActivateJobs(request, timeout=PATIENCE):
            jobs.extend(message.jobs)
        return jobs

    async def take(self, kind: str, fetch: list[str] | None = None):
        jobs = await self.poll(kind, wait_ms=10_000, fetch=fetch)
        check(len(jobs) == 1, f"one job of type {kind}, not {jobs}")
        return jobs[0]

    async def incident(self, instance: int) -> int:
        """Zeebe's protocol has no way to ask for incidents, so Orloj's own API is asked."""
        url = f"{self.http}/api/incidents?instance={instance}"
        answer = await asyncio.to_thread(lambda: urllib.request.urlopen(url).read())
        items = json.loads(answer)["items"]
        check(len(items) == 1, f"one incident, not {items}")
        return int(items[0]["key"])

    # ---- the story

    async def the_gateway_is_healthy_and_tells_its_topology(self) -> None:
        health = await self.client.healthcheck()
        check(health.status == 1, health)
        topology = await self.client.topology()
        check(topology.partitions_count == 1, topology)
        check(topology.brokers[0].partitions[0].role.name == "LEADER", topology)

    async def a_model_is_deployed_once(self) -> None:
        files = [self.model("order.bpmn"), self.model("greet.bpmn")]
        first = await self.client.deploy_resource(*files)
        again = await self.client.deploy_resource(*files)
        check([d.version for d in first.deployments] == [1, 1], first)
        keys = lambda answer: [d.process_definition_key for d in answer.deployments]  # noqa: E731
        check(keys(first) == keys(again), again)
        check(first.tenant_id == "<default>", first)

    async def a_broken_model_is_refused(self) -> None:
        file = self.folder / "broken.bpmn"
        for text in ["not XML", "<!DOCTYPE x>" + (MODELS / "greet.bpmn").read_text()]:
            file.write_text(text)
            await raises(ProcessInvalidError, self.client.deploy_resource(file))

    async def what_does_not_exist_is_not_found(self) -> None:
        await raises(ProcessDefinitionNotFoundError, self.client.run_process("nobody"))
        await raises(
            ProcessDefinitionNotFoundError, self.client.run_process(f"order-{RUN}", version=99)
        )
        await raises(ProcessInstanceNotFoundError, self.client.cancel_process_instance(77))
        await raises(JobNotFoundError, self.jobs.complete_job(77, {}))
        await raises(JobNotFoundError, self.jobs.fail_job(77, 1, "", 0, {}))
        await raises(JobNotFoundError, self.jobs.throw_error(77, "", {}, "X"))
        await raises(JobNotFoundError, self.jobs.update_job_timeout(77, 1))

    async def variables_must_be_an_object(self) -> None:
        await raises(InvalidJSONError, self.client.run_process(f"order-{RUN}", [1]))

    async def a_job_is_worked_step_by_step(self) -> None:
        instance = await self.start("order", total=90, customer="anna")
        job = await self.take("charge", fetch=["total", "nothing"])
        check(job.processInstanceKey == instance, job)
        check(json.loads(job.variables) == {"total": 90}, job)
        check(json.loads(job.customHeaders) == {"method": "card", "limit": "100"}, job)
        check((job.retries, job.worker) == (3, "paul"), job)
        check(await self.poll("charge") == [], "a job was given twice")
        await self.jobs.update_job_timeout(job.key, 900_000)
        await self.jobs.complete_job(job.key, {"paid": True})
        await raises(JobNotFoundError, self.jobs.complete_job(job.key, {}))
        ship = await self.take("ship")
        expected = {"total": 90, "customer": "anna", "paid": True}
        check(json.loads(ship.variables) == expected, ship)
        await self.jobs.complete_job(ship.key, {})
        await raises(ProcessInstanceNotFoundError, self.client.cancel_process_instance(instance))

    async def a_failed_job_comes_back_after_its_back_off(self) -> None:
        instance = await self.start("order")
        job = await self.take("charge")
        await self.jobs.fail_job(job.key, 1, "card reader on fire", 3_600_000, {})
        check(await self.poll("charge") == [], "the back-off was skipped")
        await raises(JobAlreadyDeactivatedError, self.jobs.complete_job(job.key, {}))
        await self.client.cancel_process_instance(instance)
        instance = await self.start("order")
        job = await self.take("charge")
        await self.jobs.fail_job(job.key, 1, "card reader on fire", 100, {"attempt": 1})
        again = await self.take("charge")
        check((again.key, again.retries) == (job.key, 1), again)
        check(json.loads(again.variables) == {"attempt": 1}, again)
        await self.client.cancel_process_instance(instance)

    async def an_incident_is_resolved(self) -> None:
        instance = await self.start("order")
        job = await self.take("charge")
        await self.jobs.fail_job(job.key, 0, "card reader on fire", 0, {})
        incident = await self.incident(instance)
        resolve = lambda: self.gateway.ResolveIncident(ResolveIncidentRequest(incidentKey=incident))  # noqa: E731
        error = await refused(grpc.StatusCode.FAILED_PRECONDITION, resolve())
        check("retries" in error.details(), error)
        await self.gateway.UpdateJobRetries(UpdateJobRetriesRequest(jobKey=job.key, retries=2))
        check(await self.poll("charge") == [], "raised retries alone let a job go on")
        await resolve()
        again = await self.take("charge")
        check((again.key, again.retries) == (job.key, 2), again)
        await refused(grpc.StatusCode.NOT_FOUND, resolve())
        await self.client.cancel_process_instance(instance)

    async def errors_are_caught_or_become_incidents(self) -> None:
        await self.start("order")
        job = await self.take("charge")
        await self.jobs.throw_error(job.key, "no money", {"reason": "limit"}, "CARD_REFUSED")
        remind = await self.take("remind")
        check(json.loads(remind.variables) == {"reason": "limit"}, remind)
        await self.jobs.complete_job(remind.key, {})

        instance = await self.start("order")
        job = await self.take("charge")
        await self.jobs.throw_error(job.key, "", {}, "EARTHQUAKE")
        await raises(JobAlreadyDeactivatedError, self.jobs.complete_job(job.key, {}))
        incident = await self.incident(instance)
        await self.gateway.ResolveIncident(ResolveIncidentRequest(incidentKey=incident))
        check((await self.take("charge")).key == job.key, "another job")
        await self.client.cancel_process_instance(instance)

    async def variables_are_set_from_outside(self) -> None:
        instance = await self.start("order", note="old")
        job = await self.take("charge")
        for scope, note, local in [(instance, "all", False), (job.elementInstanceKey, "here", True)]:
            variables = json.dumps({"note": note})
            answer = await self.gateway.SetVariables(
                SetVariablesRequest(elementInstanceKey=scope, variables=variables, local=local)
            )
            check(answer.key > 0, answer)
        await self.jobs.fail_job(job.key, 3, "", 0, {})
        check(json.loads((await self.take("charge")).variables) == {"note": "here"}, "local")
        await self.jobs.complete_job(job.key, {})
        ship = await self.take("ship")
        check(json.loads(ship.variables) == {"note": "all"}, ship)
        await self.client.cancel_process_instance(instance)
        await raises(JobNotFoundError, self.jobs.complete_job(ship.key, {}))

    async def a_poll_waits(self) -> None:
        begin = time.monotonic()
        check(await self.poll("charge", wait_ms=1_000) == [], "a job from nowhere")
        check(time.monotonic() - begin > 0.9, time.monotonic() - begin)
        waiting = asyncio.create_task(self.poll("charge", wait_ms=20_000))
        await asyncio.sleep(0.5)
        instance = await self.start("order")
        begin = time.monotonic()
        jobs = await waiting
        check([job.processInstanceKey for job in jobs] == [instance], jobs)
        check(time.monotonic() - begin < 15, "the poll waited for its end")
        await self.client.cancel_process_instance(instance)

    async def a_worker_that_polls_finishes_instances(self) -> None:
        await self.work(stream=False)

    async def a_worker_with_a_stream_finishes_instances(self) -> None:
        await self.work(stream=True)

    async def work(self, stream: bool) -> None:
        worker = ZeebeWorker(self.channel, name="quinn", stream_enabled=stream)
        seen: list[str] = []

        async def refuse(exception: Exception, job: Job, controller: JobController) -> None:
            match exception:
                case BusinessError():
                    await controller.set_error_status(str(exception), error_code=exception.error_code)
                case _:
                    await controller.set_failure_status(str(exception), retry_back_off_ms=100)

        @worker.task(task_type=f"greet-{RUN}", timeout_ms=60_000)
        async def greet(who: str) -> dict[str, object]:
            seen.append(who)
            return {"greeting": f"ahoj {who}", "private": 1}

        @worker.task(task_type=f"charge-{RUN}", exception_handler=refuse)
        async def charge(job: Job) -> dict[str, object]:
            if job.retries == 3:
                raise RuntimeError("try again")
            raise BusinessError("CARD_REFUSED")

        @worker.task(task_type=f"remind-{RUN}")
        async def remind() -> dict[str, object]:
            return {"reminded": True}

        working = asyncio.create_task(worker.work())
        try:
            names = [f"guest {number}" for number in range(10)]
            answers = await asyncio.gather(
                *(
                    self.client.run_process_with_result(
                        f"greet-{RUN}", {"name": name}, timeout=PATIENCE * 1_000
                    )
                    for name in names
                )
            )
            for name, answer in zip(names, answers):
                check(answer.variables == {"name": name, "answer": f"ahoj {name}"}, answer)
            check(sorted(seen) == sorted(names), f"each job once: {seen}")
            one = await self.client.run_process_with_result(
                f"greet-{RUN}", {"name": "zoe"}, variables_to_fetch=["answer"]
            )
            check(one.variables == {"answer": "ahoj zoe"}, one)
            refused_order = await self.client.run_process_with_result(
                f"order-{RUN}", {"total": 1}, timeout=PATIENCE * 1_000
            )
            check(refused_order.variables["reminded"] is True, refused_order)
        finally:
            stop = asyncio.create_task(worker.stop())
            await asyncio.wait([stop, working], timeout=PATIENCE)
        check(working.done(), "the worker did not stop")

    async def a_result_that_does_not_come_in_time_is_told(self) -> None:
        begin = time.monotonic()
        late = self.client.run_process_with_result(f"order-{RUN}", timeout=1_000)
        await raises(ProcessTimeoutError, late)
        check(time.monotonic() - begin < 10, "too late")


def check(holds: bool, otherwise: object) -> None:
    if not holds:
        raise AssertionError(str(otherwise))


async def raises(kind: type[Exception], call) -> None:
    try:
        answer = await call
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was expected, not {answer}")


async def refused(code: grpc.StatusCode, call) -> grpc.aio.AioRpcError:
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        check(error.code() == code, f"{code} was expected, not {error.code()}: {error.details()}")
        return error
    raise AssertionError(f"{code} was expected, not {answer}")


STEPS = [
    Story.the_gateway_is_healthy_and_tells_its_topology,
    Story.a_model_is_deployed_once,
    Story.a_broken_model_is_refused,
    Story.what_does_not_exist_is_not_found,
    Story.variables_must_be_an_object,
    Story.a_job_is_worked_step_by_step,
    Story.a_failed_job_comes_back_after_its_back_off,
    Story.an_incident_is_resolved,
    Story.errors_are_caught_or_become_incidents,
    Story.variables_are_set_from_outside,
    Story.a_poll_waits,
    Story.a_worker_that_polls_finishes_instances,
    Story.a_worker_with_a_stream_finishes_instances,
    Story.a_result_that_does_not_come_in_time_is_told,
]


async def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    address, http = sys.argv[1:]
    with TemporaryDirectory() as folder:
        story = Story(address, http, Path(folder))
        for step in STEPS:
            name = step.__name__.replace("_", " ")
            try:
                await asyncio.wait_for(step(story), 4 * PATIENCE)
            except Exception as error:
                print(f"FAILED  {name}\n        {type(error).__name__}: {error}", flush=True)
                return 1
            print(f"ok      {name}", flush=True)
        await story.channel.close()
    print(f"passed  pyzeebe against {address}")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
