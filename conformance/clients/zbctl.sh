#!/usr/bin/env bash
# A story told with zbctl, Zeebe's own command-line client (written in Go), unmodified.
#
# usage: zbctl.sh GRPC_ADDRESS HTTP_URL
#
# Prints a line for every step; exits 1 at the first that went wrong. Needs bash and python3 (to
# read JSON), and zbctl: $ZBCTL, or the one in the folder $ORLOJ_TEST_CLIENTS.
set -euo pipefail

address=${1:?"usage: zbctl.sh GRPC_ADDRESS HTTP_URL"}
http=${2:?"usage: zbctl.sh GRPC_ADDRESS HTTP_URL"}
here=$(cd "$(dirname "$0")" && pwd)
zbctl=${ZBCTL:-${ORLOJ_TEST_CLIENTS:-.}/node/node_modules/zbctl/bin/zbctl-cli.linux}
run="z$$-$(date +%s)"
work=$(mktemp -d)
working=

finish() {
    stop_worker
    rm -rf "$work"
}
trap finish EXIT

# ---- how things are called and checked

call() { "$zbctl" --insecure --address "$address" "$@"; }

# What the command prints, kept for `got`.
answer=
ask() {
    answer=$(call "$@" 2>"$work/error") || fail "zbctl $*: $(cat "$work/error")"
}

# The command has to fail with a message that contains every word.
refused() {
    local words=$1 word
    shift
    if call "$@" >"$work/output" 2>"$work/error"; then
        fail "zbctl $* was not refused: $(cat "$work/output")"
    fi
    for word in $words; do
        grep -q -- "$word" "$work/error" ||
            fail "zbctl $*: no '$word' in: $(cat "$work/error")"
    done
}

# got PATH: a value of the answer, such as `jobs 0 key`; texts of JSON are looked into.
got() {
    python3 - "$@" <<'PY' "$answer"
import json, sys
*path, text = sys.argv[1:]
value = json.loads(text)
for step in path:
    if isinstance(value, str):
        value = json.loads(value)
    value = value[int(step)] if isinstance(value, list) else value[step]
print(value if isinstance(value, str) else json.dumps(value, sort_keys=True))
PY
}

is() {
    local expected=$1 actual
    shift
    actual=$(got "$@") || fail "no '$*' in: $answer"
    [ "$actual" = "$expected" ] || fail "'$*' is $actual, not $expected"
}

fail() {
    printf 'FAILED  %s\n        %s\n' "${story:-start}" "$1"
    exit 1
}

story=
step() {
    [ -z "$story" ] || printf 'ok      %s\n' "$story"
    story=$1
}

model() { sed "s/-RUN/-$run/g" "$here/models/$1" >"$work/$1"; }

start() {
    ask create instance "$1-$run" --variables "${2:-{\}}"
    instance=$(got processInstanceKey)
}

# One job of the type, waited for; its key and its element instance are kept.
take() {
    local type=$1
    shift
    ask activate jobs "$type-$run" --requestTimeout 10s "$@"
    [ "$(python3 -c 'import json,sys; print(len(json.loads(sys.argv[1])["jobs"]))' "$answer")" = 1 ] ||
        fail "one job of type $type was expected: $answer"
    job=$(got jobs 0 key)
    scope=$(got jobs 0 elementInstanceKey)
}

# zbctl gives up at the moment at which it wants to be answered: a busy machine misses it. Whoever has
# given up has got no job either.
no_job() {
    if answer=$(call activate jobs "$1-$run" --requestTimeout 300ms 2>"$work/error"); then
        is '[]' jobs
    else
        grep -q DeadlineExceeded "$work/error" ||
            fail "zbctl activate jobs $1: $(cat "$work/error")"
    fi
}

# Zeebe's protocol has no way to ask for incidents, so Orloj's own API is asked.
incident_of() {
    incident=$(python3 - "$http/api/incidents?instance=$1" <<'PY'
import json, sys, urllib.request
items = json.load(urllib.request.urlopen(sys.argv[1]))["items"]
assert len(items) == 1, items
print(items[0]["key"])
PY
    ) || fail "no incident of instance $1"
}

# A worker that answers every job of type `greet`, until `stop_worker`. Not by `call`: a function
# in the background is a shell around the program, and the shell would be stopped instead of it.
worker() {
    "$zbctl" --insecure --address "$address" create worker "greet-$run" \
        --handler "$work/handler" "$@" >"$work/worker" 2>&1 &
    working=$!
}

stop_worker() {
    [ -n "$working" ] || return 0
    kill "$working" 2>/dev/null || true
    wait "$working" 2>/dev/null || true
    working=
}

# ---- the story

[ -x "$zbctl" ] || fail "zbctl is not at '$zbctl'; set ZBCTL or ORLOJ_TEST_CLIENTS"
model order.bpmn
model greet.bpmn

step "the cluster tells its version and has a healthy partition"
ask status -o json
is 1 partitionsCount
got gatewayVersion | grep -q '^8\.' || fail "version $(got gatewayVersion)"
call status | grep -q 'Partition 1 : Leader, Healthy' || fail "$(call status)"

step "a model is deployed, and the same again makes no new version"
ask deploy resource "$work/order.bpmn" "$work/greet.bpmn"
definition=$(got deployments 0 process processDefinitionKey)
is 1 deployments 0 process version
ask deploy resource "$work/order.bpmn" "$work/greet.bpmn"
is "$definition" deployments 0 process processDefinitionKey
is 1 deployments 0 process version
is '<default>' tenantId

step "a broken model is refused, and what is wrong is said"
sed "s/<zeebe:taskDefinition type=\"ship-$run\" \/>//" "$work/order.bpmn" >"$work/broken.bpmn"
refused 'InvalidArgument broken.bpmn Element: ship ERROR:' deploy resource "$work/broken.bpmn"
printf 'not XML' >"$work/text.bpmn"
refused 'InvalidArgument text.bpmn' deploy resource "$work/text.bpmn"
head -c 5000000 /dev/zero >"$work/large.bpmn"
refused 'ResourceExhausted' deploy resource "$work/large.bpmn"

step "an unknown process, version or job is not found"
refused 'NotFound nobody' create instance nobody
refused 'NotFound 99' create instance "order-$run" --version 99
refused 'NotFound COMPLETE 77' complete job 77
refused 'NotFound FAIL 77' fail job 77 --retries 1
refused 'NotFound 77' cancel instance 77
refused 'NotFound 77' resolve incident 77
refused 'NotFound 77' update retries 77 --retries 1

step "a job has its variables, headers and retries"
start order '{"total": 90, "customer": "anna"}'
take charge --worker paul --variables total
is "$instance" jobs 0 processInstanceKey
is '{"total":90}' jobs 0 variables
is card jobs 0 customHeaders method
is 3 jobs 0 retries
is paul jobs 0 worker
is charge jobs 0 elementId
is "order-$run" jobs 0 bpmnProcessId
no_job charge

step "a completed job hands its variables on"
ask update timeout "$job" --timeout 600000
ask complete job "$job" --variables '{"paid": true}'
refused "NotFound COMPLETE $job" complete job "$job"
take ship
is true jobs 0 variables paid
is anna jobs 0 variables customer
ask complete job "$job"
refused 'NotFound' cancel instance "$instance"

step "a failed job comes back after its back-off"
start order
take charge
ask fail job "$job" --retries 1 --retryBackoff 1h --errorMessage 'card reader on fire'
no_job charge
refused "FailedPrecondition COMPLETE $job" complete job "$job"
ask cancel instance "$instance"
start order
take charge
ask fail job "$job" --retries 1 --retryBackoff 100ms --errorMessage 'card reader on fire'
failed=$job
take charge
is "$failed" jobs 0 key
is 1 jobs 0 retries

step "without retries there is an incident, and resolved it goes on"
ask fail job "$job" --retries 0 --errorMessage 'card reader on fire'
incident_of "$instance"
refused 'FailedPrecondition retries' resolve incident "$incident"
ask update retries "$job" --retries 2
no_job charge
ask resolve incident "$incident"
take charge
is "$failed" jobs 0 key
is 2 jobs 0 retries
refused 'NotFound' resolve incident "$incident"
refused 'InvalidArgument' update retries "$job" --retries 0

step "an error goes to its boundary event"
ask throwError job "$job" --errorCode CARD_REFUSED --errorMessage 'no money' \
    --variables '{"reason": "limit"}'
take remind
is limit jobs 0 variables reason
ask complete job "$job"

step "an error nobody catches is an incident"
start order
take charge
ask throwError job "$job" --errorCode EARTHQUAKE
incident_of "$instance"
refused "FailedPrecondition COMPLETE $job" complete job "$job"
ask resolve incident "$incident"
take charge

step "variables are set from outside, for the instance and for one element"
ask set variables "$instance" --variables '{"note": "all"}'
ask set variables "$scope" --variables '{"note": "here"}' --local
ask fail job "$job" --retries 3
take charge
is here jobs 0 variables note
ask complete job "$job"
take ship
is all jobs 0 variables note

step "a cancelled instance takes its jobs along"
ask cancel instance "$instance"
refused "NotFound COMPLETE $job" complete job "$job"
refused 'NotFound' cancel instance "$instance"

step "a poll waits for a job that comes later"
call activate jobs "charge-$run" --requestTimeout 20s >"$work/waited" 2>"$work/error" &
waiting=$!
sleep 1
start order
later=$instance
wait "$waiting" || fail "the poll: $(cat "$work/error")"
answer=$(cat "$work/waited")
is "$later" jobs 0 processInstanceKey
ask cancel instance "$later"

step "a worker that polls lets an awaited instance finish"
printf '#!/bin/sh\ncat >/dev/null\necho %s\n' "'{\"greeting\": \"ahoj\", \"private\": 1}'" >"$work/handler"
chmod +x "$work/handler"
worker --name poller
ask create instance "greet-$run" --variables '{"name": "ben"}' --withResult --requestTimeout 20s
is '{"answer":"ahoj","name":"ben"}' variables
stop_worker

step "a worker with a stream does as well"
worker --name streamer --streamEnabled --pollInterval 1h
for name in cyril dana eva; do
    ask create instance "greet-$run" --variables "{\"name\": \"$name\"}" \
        --withResult=answer --requestTimeout 20s
    is '{"answer":"ahoj"}' variables
done
stop_worker

step "a result that does not come in time is told so"
refused 'DeadlineExceeded' create instance "greet-$run" --variables '{"name": "f"}' --withResult \
    --requestTimeout 1s

step ""
echo "passed  zbctl against $address"
