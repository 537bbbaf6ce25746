// Runs once in every fresh context, before any script. Gives back the function that shows a
// script its world. Built-ins are captured here, because scripts may replace them. Kept short:
// every script pays for compiling it.
(function () {
  'use strict';
  const { parse, stringify } = JSON;
  const objects = Object;
  const { defineProperty, create, keys, hasOwn, assign } = objects;
  const RealDate = Date;
  const construct = Reflect.construct;
  const world = globalThis;
  const hidden = (target, methods) => {
    for (const name of keys(methods)) {
      defineProperty(target, name, { value: methods[name], writable: true, configurable: true });
    }
    return target;
  };
  const LAZY = ['console', 'Java', 'Packages', 'java', 'javax', 'org', 'com', 'importPackage',
    'importClass', 'load', 'JavaImporter', 'task'];
  const ALIASES = { processBusinessKey: 'businessKey', processInstanceBusinessKey: 'businessKey',
    activityId: 'currentActivityId', activityName: 'currentActivityName' };
  const captured = { setPrototypeOf: objects.setPrototypeOf, defineProperty, create, keys, hasOwn };

  return function show(send, print, sight, load) {
    const emit = (kind, scope, name, value) => send(kind, scope, name, value, ScriptDate);
    const write = (text) => print(String(text));
    const pending = new Set(LAZY);
    const define = (all) => {
      for (const name of keys(all)) {
        if (pending.delete(name)) hidden(world, { [name]: all[name] });
      }
    };
    let rest = null;
    const full = () => {
      if (rest === null) {
        rest = load()({ world, hidden, define, write, sight, fact, variables, emit, executionOf, withFacts, objects: captured });
      }
      return rest;
    };
    for (const name of LAZY) {
      if (name === 'task' && !sight.task) continue;
      defineProperty(world, name, {
        get() { full(); return world[name]; },
        set(value) { global(name, value); },
        configurable: true,
      });
    }
    hidden(world, { print: write });

    // Time and chance come in from outside.
    const now = sight.now;
    const ScriptDate = function Date(...given) {
      const made = construct(RealDate, given.length > 0 ? given : [now], new.target || ScriptDate);
      return new.target ? made : made.toString();
    };
    ScriptDate.prototype = RealDate.prototype;
    hidden(ScriptDate, { now: () => now, parse: RealDate.parse, UTC: RealDate.UTC });
    hidden(RealDate.prototype, { constructor: ScriptDate });
    hidden(world, { Date: ScriptDate });
    let chance = sight.seed >>> 0;
    hidden(Math, {
      random() {
        chance = (chance + 0x6d2b79f5) >>> 0;
        let t = Math.imul(chance ^ (chance >>> 15), chance | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
      },
    });

    const nearest = parse(sight.variables);
    let scopes = null;
    const view = (scope) => {
      if (scope === 'nearest') return nearest;
      if (scopes === null) {
        scopes = parse(sight.scoped);
        for (const name of keys(scopes)) dress(scopes[name]);
      }
      return scopes[scope] || nearest;
    };
    const dress = (all) => {
      for (const name of keys(all)) {
        const value = all[name];
        if (value !== null && typeof value === 'object') all[name] = full().dressed(value);
      }
    };
    const touched = create(null);
    const read = (scope, name) => { const seen = view(scope); return hasOwn(seen, name) ? seen[name] : null; };
    const hold = (seen, name, value) =>
      defineProperty(seen, name, { value, writable: true, configurable: true, enumerable: true });
    const put = (scope, name, value) => {
      name = String(name);
      emit('Set', scope, name, value);
      touched[name] = true;
      hold(nearest, name, value);
      if (scope !== 'nearest') hold(view(scope), name, value);
      else if (!hasOwn(view('local'), name)) hold(view('instance'), name, value);
      global(name, value);
    };
    const drop = (scope, name) => {
      name = String(name);
      emit('Remove', scope, name, null);
      touched[name] = true;
      delete view(scope)[name];
      if (scope === 'nearest' || scope === 'local') { delete nearest[name]; delete world[name]; }
    };
    const global = (name, value) => {
      if (name === 'execution' || (name === 'task' && sight.task)) return;
      pending.delete(name);
      try { hold(world, name, value); } catch (fixed) { /* undefined, NaN and Infinity stay */ }
    };
    const variables = (scope, local) => ({
      getVariable: (name) => read(scope, name),
      getVariableLocal: (name) => read(local, name),
      hasVariable: (name) => hasOwn(view(scope), name),
      hasVariableLocal: (name) => hasOwn(view(local), name),
      setVariable: (name, value, element) => put(element === undefined ? scope : 'element:' + element, name, value),
      setVariableLocal: (name, value) => put(local, name, value),
      setVariables: (all) => { for (const name of keys(all)) put(scope, name, all[name]); },
      setVariablesLocal: (all) => { for (const name of keys(all)) put(local, name, all[name]); },
      removeVariable: (name) => drop(scope, name),
      removeVariableLocal: (name) => drop(local, name),
      setTransientVariable: (name, value) => put('transient', name, value),
      getTransientVariable: (name) => read('nearest', name),
      removeTransientVariable: (name) => drop('transient', name),
      getVariables: () => full().asMap(assign({}, view(scope))),
      getVariablesLocal: () => full().asMap(assign({}, view(local))),
      getVariableNames: () => full().asSet(keys(view(scope))),
    });
    const fact = (name) => (hasOwn(sight.facts, name) ? sight.facts[name] : null);
    // `x.name` and `x.getName()` of what is known besides variables.
    const withFacts = (methods, prefix) => new Proxy(methods, {
      get(target, name) {
        if (typeof name !== 'string' || hasOwn(target, name)) return target[name];
        const getter = /^get[A-Z]/.test(name);
        let property = getter ? name[3].toLowerCase() + name.slice(4) : name;
        property = hasOwn(ALIASES, property) ? ALIASES[property] : property;
        if (!hasOwn(sight.known, prefix + property)) return undefined;
        return getter ? () => fact(prefix + property) : fact(prefix + property);
      },
    });
    const executionOf = (scope, local) => {
      const methods = variables(scope, local);
      methods.getProcessInstance = () => executionOf('instance', 'instance');
      methods.getParent = () => executionOf('parent', 'parentLocal');
      methods.setProcessBusinessKey = methods.setBusinessKey = (key) => emit('SetFact', '', 'businessKey', key);
      return withFacts(methods, '');
    };
    dress(nearest);
    for (const name of keys(nearest)) global(name, nearest[name]);
    if (sight.execution) hidden(world, { execution: executionOf('nearest', 'local') });
    const before = sight.autoStore ? new Map(keys(world).map((name) => [name, world[name]])) : null;

    // What the script left behind without saying so.
    return {
      get BpmnError() { return rest === null ? undefined : rest.BpmnError; },
      Date: ScriptDate,
      finish() {
        let pristine = null;
        for (const name of keys(nearest)) {
          const value = nearest[name];
          if (value === null || typeof value !== 'object' || touched[name]) continue;
          pristine = pristine || parse(sight.variables);
          if (stringify(value) !== stringify(pristine[name])) emit('Changed', '', name, value);
        }
        if (before === null) return;
        for (const name of keys(world)) {
          const value = world[name];
          if (typeof value === 'function' || touched[name]) continue;
          if (!before.has(name) || before.get(name) !== value) emit('Set', 'nearest', name, value);
        }
      },
    };
  };
})();
