// The part of a script's world that few scripts need: Java's collections and classes, packages,
// the console and the task. Evaluated when the first of them is touched.
(function (shared) {
  'use strict';
  const { world, hidden, define, write, sight, fact, variables, emit, executionOf } = shared;
  const { setPrototypeOf, defineProperty, create, keys, hasOwn } = shared.objects;
  const { isArray } = Array;

  // Java's collections, as scripts for the compatible engines use them.
  const listMethods = hidden(create(Array.prototype), {
    size() { return this.length; },
    isEmpty() { return this.length === 0; },
    get(at) { return this[at]; },
    set(at, value) { const old = this[at]; this[at] = value; return old; },
    add(a, b) {
      if (arguments.length > 1) { this.splice(a, 0, b); } else { this[this.length] = a; }
      return true;
    },
    addAll(items) { for (const item of items) this[this.length] = item; return true; },
    contains(item) { return this.includes(item); },
    remove(what) {
      const at = typeof what === 'number' ? what : this.indexOf(what);
      return at < 0 ? false : this.splice(at, 1)[0];
    },
    clear() { this.length = 0; },
    toString() { return '[' + this.join(', ') + ']'; },
  });
  const setMethods = hidden(create(listMethods), {
    add(item) {
      if (this.includes(item)) return false;
      this[this.length] = item;
      return true;
    },
  });
  const mapMethods = hidden(create(Object.prototype), {
    size() { return keys(this).length; },
    isEmpty() { return keys(this).length === 0; },
    get(key) { return hasOwn(this, key) ? this[key] : null; },
    getOrDefault(key, other) { return hasOwn(this, key) ? this[key] : other; },
    put(key, value) { const old = this.get(key); this[key] = value; return old; },
    putAll(other) { for (const key of keys(other)) this[key] = other[key]; },
    containsKey(key) { return hasOwn(this, key); },
    remove(key) { const old = this.get(key); delete this[key]; return old; },
    keySet() { return asSet(keys(this)); },
    values() { return asList(Object.values(this)); },
    toString() { return '{' + keys(this).map((key) => key + '=' + this[key]).join(', ') + '}'; },
  });
  const asList = (items) => setPrototypeOf(items, listMethods);
  const asSet = (items) => setPrototypeOf(items, setMethods);
  const asMap = (entries) => setPrototypeOf(entries, mapMethods);
  const dressed = (value) => {
    if (value === null || typeof value !== 'object') return value;
    for (const key of keys(value)) value[key] = dressed(value[key]);
    return isArray(value) ? asList(value) : asMap(value);
  };

  class JavaError extends Error {
    getMessage() { return this.message; }
  }
  class BpmnError extends JavaError {
    constructor(code, message) {
      super(message === undefined || message === null ? '' : message);
      this.errorCode = String(code);
    }
    getErrorCode() { return this.errorCode; }
  }
  const errorClass = (name) => {
    const Made = class extends JavaError {};
    defineProperty(Made.prototype, 'name', { value: name, configurable: true });
    return Made;
  };
  const constructor = (make) => function () { return make.apply(null, arguments); };
  const copyList = (dress) => constructor((from) => {
    const items = dress([]);
    if (from !== undefined && typeof from !== 'number') for (const item of from) items.add(item);
    return items;
  });
  const copyMap = constructor((from) => {
    const map = asMap({});
    if (from !== null && typeof from === 'object') map.putAll(from);
    return map;
  });
  const boxed = (convert, extra) => Object.assign(constructor(convert), { valueOf: convert }, extra);

  const out = { println(text) { write(text === undefined ? '' : text); }, print(text) { write(text); } };
  const classes = {
    'java.util.ArrayList': copyList(asList),
    'java.util.LinkedList': copyList(asList),
    'java.util.HashSet': copyList(asSet),
    'java.util.LinkedHashSet': copyList(asSet),
    'java.util.HashMap': copyMap,
    'java.util.LinkedHashMap': copyMap,
    'java.util.TreeMap': copyMap,
    'java.util.Arrays': { asList() { return asList(Array.from(isArray(arguments[0]) ? arguments[0] : arguments)); } },
    'java.util.Date': function (ms) { return ms === undefined ? new world.Date() : new world.Date(ms); },
    'java.lang.Integer': boxed((value) => Math.trunc(Number(value)), { parseInt: (text) => parseInt(text, 10), MAX_VALUE: 2147483647, MIN_VALUE: -2147483648 }),
    'java.lang.Long': boxed((value) => Math.trunc(Number(value)), { parseLong: (text) => parseInt(text, 10) }),
    'java.lang.Double': boxed((value) => Number(value), { parseDouble: (text) => parseFloat(text) }),
    'java.lang.Boolean': boxed((value) => String(value).toLowerCase() === 'true', { parseBoolean: (value) => String(value).toLowerCase() === 'true', TRUE: true, FALSE: false }),
    'java.lang.String': boxed((value) => String(value), { format: (text) => String(text) }),
    'java.lang.Math': Math,
    // Nobody is made to wait: the script's time runs on.
    'java.lang.Thread': { sleep() {} },
    'java.lang.System': { out, err: out, currentTimeMillis: () => world.Date.now() },
    'org.camunda.bpm.engine.delegate.BpmnError': BpmnError,
    'org.flowable.engine.delegate.BpmnError': BpmnError,
    'org.activiti.engine.delegate.BpmnError': BpmnError,
  };
  setPrototypeOf(classes, null);
  for (const name of [
    'java.lang.Exception', 'java.lang.RuntimeException', 'java.lang.IllegalArgumentException',
    'java.lang.IllegalStateException', 'java.lang.UnsupportedOperationException',
    'java.lang.NullPointerException', 'java.lang.Error', 'java.lang.Throwable',
    'org.camunda.bpm.engine.ProcessEngineException',
    'org.flowable.common.engine.api.FlowableException',
    'org.flowable.common.engine.api.FlowableIllegalArgumentException',
  ]) classes[name] = errorClass(name);

  const listed = sight.classes;
  const type = (name) => {
    name = `${name}`;
    if (listed !== null && !hasOwn(listed, name)) throw new Error('class ' + name + ' is not on the white list');
    const found = classes[name];
    if (found === undefined) throw new Error('class ' + name + ' is not supported in scripts');
    return found;
  };
  const path = (prefix) => new Proxy(function () {}, {
    get(target, part) {
      if (typeof part !== 'string') return undefined;
      const name = prefix === '' ? part : prefix + '.' + part;
      return /^[A-Z]/.test(part) ? type(name) : path(name);
    },
    set() { throw new Error('a package cannot be changed'); },
    apply() { throw new Error('package ' + prefix + ' is not a function'); },
    construct() { throw new Error('class ' + prefix + ' is not supported in scripts'); },
  });
  const refuse = (what) => () => { throw new Error(what + ' is not supported in scripts'); };
  const say = (...all) => write(all.join(' '));
  define({
    console: { log: say, info: say, warn: say, error: say },
    Java: { type, from: (items) => Array.from(items), to: (items) => asList(Array.from(items)) },
    Packages: path(''), java: path('java'), javax: path('javax'), org: path('org'), com: path('com'),
    importPackage: refuse('importPackage'), importClass: refuse('importClass'), load: refuse('load'),
    JavaImporter: refuse('JavaImporter'),
  });
  if (sight.task) {
    const task = variables('nearest', 'local');
    for (const name of ['name', 'description', 'assignee', 'owner', 'priority', 'dueDate', 'followUpDate', 'category', 'formKey']) {
      task['set' + name[0].toUpperCase() + name.slice(1)] = (value) => emit('SetFact', '', 'task.' + name, value);
    }
    for (const name of ['addCandidateUser', 'addCandidateGroup', 'deleteCandidateUser', 'deleteCandidateGroup']) {
      task[name] = (value) => emit('SetFact', '', 'task.' + name, value);
    }
    task.getExecution = () => executionOf('nearest', 'local');
    define({ task: shared.withFacts(task, 'task.') });
  }
  return { BpmnError, asMap, asSet, dressed };
})
