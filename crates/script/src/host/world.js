// The part of a script's world that few scripts need: Java's classes, packages and the console.
// Evaluated when the first of them is touched.
(function (shared) {
  'use strict';
  const { world, define, write, listed, asList, asSet, asMap } = shared;
  const { setPrototypeOf, defineProperty, hasOwn, assign } = Object;
  const { isArray } = Array;

  class JavaError extends Error {
    getMessage() { return this.message; }
    getLocalizedMessage() { return this.message; }
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
  const boxed = (convert, extra) => assign(function (value) {
    return new.target ? Object(convert(value)) : convert(value);
  }, { valueOf: convert }, extra);

  // Values with a type: only those that end with the transaction differ from plain ones.
  const typed = (value, transient) => transient === true ? { $transient: true, value, getValue: () => value, isTransient: () => true, create() { return this; } } : value;
  const made = (value, transient) => transient === true ? typed(value, true) : { create: () => value };
  const values = { objectValue: made, serializedObjectValue: made, untypedNullValue: (transient) => typed(null, transient) };
  for (const name of ['untyped', 'string', 'integer', 'long', 'short', 'double', 'boolean', 'number', 'date']) values[name + 'Value'] = typed;

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
    'org.camunda.bpm.engine.variable.Variables': values,
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
  define('console', { log: write, info: write, warn: write, error: write });
  define('Java', { type, from: (items) => Array.from(items), to: (items) => asList(Array.from(items)) });
  define('Packages', path(''));
  for (const name of ['java', 'javax', 'org', 'com']) define(name, path(name));
  for (const name of ['importPackage', 'importClass', 'load', 'JavaImporter']) define(name, refuse(name));
  return BpmnError;
})
