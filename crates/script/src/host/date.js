// Dates know the time that was handed in, not that of the machine.
(function (RealDate, now) {
  'use strict';
  const construct = Reflect.construct;
  const ScriptDate = function Date(...given) {
    const made = construct(RealDate, given.length > 0 ? given : [now], new.target || ScriptDate);
    return new.target ? made : made.toString();
  };
  ScriptDate.prototype = RealDate.prototype;
  ScriptDate.now = () => now;
  ScriptDate.parse = RealDate.parse;
  ScriptDate.UTC = RealDate.UTC;
  RealDate.prototype.constructor = ScriptDate;
  return ScriptDate;
})
