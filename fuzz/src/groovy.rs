//! The Groovy subset, in both dialects.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_groovy::{Budget, Dialect, Options, Script};
use orloj_types::Value;

use crate::world;

const BUDGET: Budget =
    Budget { steps_max: 20_000, depth_max: 150, bytes_max: 1 << 20, printed_bytes_max: 4 << 10 };

pub fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let Ok(script) = Script::parse(text) else { return false };
    assert_eq!(script.source(), text);
    let variables: BTreeMap<Arc<str>, Value> = world::variables()
        .0
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value)))
        .collect();
    for dialect in [Dialect::Camunda7, Dialect::Flowable] {
        for auto_store in [false, true] {
            let options =
                Options { auto_store, budget: BUDGET, ..Options::new(dialect, world::NOW) };
            let (one, two) = (script.run(&variables, options), script.run(&variables, options));
            let shown = |outcome: &orloj_groovy::Outcome| {
                let value = outcome.result.as_ref().map(Value::to_json);
                format!("{value:?} {:?} {:?}", outcome.effects, outcome.printed)
            };
            assert_eq!(shown(&one), shown(&two), "{text:?} runs differently the second time");
        }
    }
    true
}

pub const SEEDS: &[&str] = &[
    "amount > 100 && customer.vip",
    "def x = a + 1\nexecution.setVariable('x', x)\nreturn x",
    "items.collect { it.price * 2 }.sum()",
    "f.findAll { it > 1 }.each { println \"item ${it}\" }",
    "for (int i = 0; i < 10; i++) { if (i % 2 == 0) continue; a += i }",
    "while (true) { a++; if (a > 5) break }",
    "def m = [a: 1, 'b c': [2, 3]]; m.a + m['b c'][0]",
    "\"\"\"multi\n$name ${name.toUpperCase()}\"\"\"",
    "throw new org.camunda.bpm.engine.delegate.BpmnError('code', \"message $a\")",
    "(1..5).inject(0) { s, i -> s + i }",
    "switch (c) { case 'text': 1; break; case [1, 2]: 2; break; default: 3 }",
    "try { 1 / 0 } catch (ArithmeticException e) { e.message } finally { println 'done' }",
    "def f2 = { x, y = 2 -> x ** y }; f2(3)",
    "String s = name?.substring(1) ?: 'none'; s.reverse()",
    "c ==~ /t.*t/ && c =~ 'ex'",
    "new Date().format('yyyy-MM-dd')",
    "import groovy.json.JsonSlurper\nnew JsonSlurper().parseText('{\"a\": [1]}').a[0]",
    "def fact(n) { n <= 1 ? 1 : n * fact(n - 1) }\nfact(10)",
    "[3, 1, 2].sort { p, q -> q <=> p }.join(',')",
    "execution.hasVariable('a') ? execution.getVariable('a') : null",
    "BigDecimal d2 = 1.10; d2.setScale(1, java.math.RoundingMode.HALF_UP)",
    "g.b.c << 2; g.put('z', g.size()); g",
    "def (p, q) = [1, 2]; p <=> q",
    "assert a == 1 : 'no'",
    "Math.max(1, 2) + Integer.parseInt('7') + 5.intdiv(2) as String",
    "x = 5; y = x--; y++ + ++x",
    "f*.toString()",
    "name in ['Anna', 'Bo'] && !(e instanceof String)",
    "println(\"a\" * 10 + 'b' - 'a')",
    "UUID.randomUUID().toString().length()",
];

pub const WORDS: &[&str] = &[
    "def ",
    "if (",
    "else ",
    "for (i in ",
    "while (",
    "return ",
    "throw ",
    "try { ",
    " catch (e) ",
    "new ",
    "import ",
    "class X { }",
    "switch (",
    "case 1: ",
    "break",
    "continue",
    "in ",
    "as ",
    "instanceof ",
    "null",
    "true",
    "{ it }",
    "{ -> ",
    "->",
    "?.",
    "?:",
    "*.",
    "..",
    "..<",
    "<=>",
    "==~",
    "=~",
    "**",
    "++",
    "--",
    "+=",
    "<<",
    ">>>",
    "&&",
    "||",
    "!",
    "~",
    "? 1 : 2",
    ";",
    "\n",
    "[:]",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "\"${",
    "'''",
    "/x/",
    "$/",
    ".each { ",
    ".collect { ",
    ".sum()",
    ".sort()",
    ".join('')",
    ".times { ",
    "* 1000000",
    "execution.",
    "println ",
    "1L",
    "2.5G",
    "0xff",
    "'a'.repeat(9999)",
    ".class",
    "System.exit(0)",
    "@Grab",
    "static ",
];
