//! DMN files of all modes: read, and evaluate everything they offer.

use orloj_dmn::{Environment, Mode, Model, Options};

use crate::mutation::mutated;
use crate::random::Random;
use crate::{feel, world};

pub fn check(input: &[u8]) -> bool {
    let mut accepted = false;
    let variables = world::variables();
    let environment = Environment::new(world::NOW).with_budget(world::BUDGET).explaining();
    for mode in [Mode::Standard, Mode::Camunda8, Mode::Camunda7, Mode::Flowable] {
        for lenient in [false, true] {
            let options = Options { mode, imports: vec![IMPORTED.as_bytes()], lenient };
            let model = match Model::parse(input, &options) {
                Ok(model) => model,
                Err(diagnostics) => {
                    assert!(diagnostics.has_errors(), "refused without a reason");
                    let _ = diagnostics.to_string();
                    continue;
                }
            };
            accepted |= !lenient;
            for invocable in model.invocables().take(10) {
                let evaluation = model.evaluate(&invocable.id, &variables, &environment);
                let _ = evaluation.value.to_json();
                let _ = evaluation.rules();
            }
        }
    }
    accepted
}

/// Most changes of a file leave no file. So every other input is one with other expressions in it.
pub fn make(random: &mut Random) -> String {
    if random.one_in(2) {
        return mutated(SEEDS, WORDS, random);
    }
    let file = random.pick(SEEDS);
    let mut out = String::new();
    for (at, piece) in file.split(OPEN).enumerate() {
        if at == 0 {
            out.push_str(piece);
            continue;
        }
        out.push_str(OPEN);
        let (text, rest) = piece.split_once(CLOSE).unwrap_or((piece, ""));
        if random.one_in(3) {
            out.push_str(&escaped(&mutated(feel::SEEDS, feel::WORDS, random)));
        } else {
            out.push_str(text);
        }
        out.push_str(CLOSE);
        out.push_str(rest);
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

const OPEN: &str = "<text>";
const CLOSE: &str = "</text>";

const IMPORTED: &str = r#"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="lib" name="lib" namespace="lib"><businessKnowledgeModel id="double" name="double"><encapsulatedLogic><formalParameter name="x"/><literalExpression><text>x * 2</text></literalExpression></encapsulatedLogic></businessKnowledgeModel></definitions>"#;

pub const SEEDS: &[&str] = &[
    r##"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="d" name="d" namespace="n"><inputData id="i" name="amount"/><decision id="fee" name="fee"><variable name="fee" typeRef="number"/><informationRequirement><requiredInput href="#i"/></informationRequirement><decisionTable hitPolicy="FIRST"><input label="amount"><inputExpression typeRef="number"><text>amount</text></inputExpression><inputValues><text>[0..1000]</text></inputValues></input><output name="fee" typeRef="number"><defaultOutputEntry><text>0</text></defaultOutputEntry></output><rule id="r1"><inputEntry><text>&lt; 100</text></inputEntry><outputEntry><text>5</text></outputEntry></rule><rule><inputEntry><text>[100..200), not(5)</text></inputEntry><outputEntry><text>amount * 0.1</text></outputEntry></rule></decisionTable></decision></definitions>"##,
    r##"<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="d" namespace="n"><itemDefinition name="tPerson"><itemComponent name="name"><typeRef>string</typeRef></itemComponent><itemComponent name="age" isCollection="true"><typeRef>number</typeRef><allowedValues><text>[0..120]</text></allowedValues></itemComponent></itemDefinition><decision id="a" name="a"><variable name="a" typeRef="tPerson"/><context><contextEntry><variable name="name"/><literalExpression><text>"Bo"</text></literalExpression></contextEntry><contextEntry><variable name="age"/><list><literalExpression><text>1 + 2</text></literalExpression><literalExpression><text>null</text></literalExpression></list></contextEntry></context></decision><decision id="b" name="b"><informationRequirement><requiredDecision href="#a"/></informationRequirement><relation><column name="x"/><row><literalExpression><text>a.name</text></literalExpression></row></relation></decision></definitions>"##,
    r##"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="d" name="d" namespace="n"><businessKnowledgeModel id="k" name="k"><encapsulatedLogic><formalParameter name="x" typeRef="number"/><literalExpression><text>if x &lt; 2 then 1 else x * k(x - 1)</text></literalExpression></encapsulatedLogic></businessKnowledgeModel><decision id="e" name="e"><knowledgeRequirement><requiredKnowledge href="#k"/></knowledgeRequirement><invocation><literalExpression><text>k</text></literalExpression><binding><parameter name="x"/><literalExpression><text>5</text></literalExpression></binding></invocation></decision><decisionService id="s" name="s"><outputDecision href="#e"/></decisionService></definitions>"##,
    r##"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="d" name="d" namespace="n"><decision id="c" name="c"><conditional><if><literalExpression><text>1 &lt; 2</text></literalExpression></if><then><for iteratorVariable="i"><in><literalExpression><text>1..3</text></literalExpression></in><return><literalExpression><text>i * 2</text></literalExpression></return></for></then><else><filter><in><literalExpression><text>[1, 2, 3]</text></literalExpression></in><match><literalExpression><text>item &gt; 1</text></literalExpression></match></filter></else></conditional></decision><decision id="q" name="q"><every iteratorVariable="x"><in><literalExpression><text>[1, 2]</text></literalExpression></in><satisfies><literalExpression><text>x &gt; 0</text></literalExpression></satisfies></every></decision></definitions>"##,
    r##"<definitions xmlns="http://www.omg.org/spec/DMN/20151101/dmn.xsd" xmlns:camunda="http://camunda.org/schema/1.0/dmn" id="d" name="d" namespace="n"><decision id="dish" name="Dish"><decisionTable hitPolicy="COLLECT" aggregation="SUM"><input camunda:inputVariable="cell"><inputExpression typeRef="integer" expressionLanguage="juel"><text>${amount + 1}</text></inputExpression></input><output name="o" typeRef="long"/><rule><inputEntry><text>&gt; 5</text></inputEntry><outputEntry expressionLanguage="juel"><text>${cell * 2}</text></outputEntry></rule><rule><inputEntry><text>-</text></inputEntry><outputEntry><text>3</text></outputEntry></rule></decisionTable></decision></definitions>"##,
    r##"<definitions xmlns="http://www.omg.org/spec/DMN/20180521/MODEL/" id="d" name="d" namespace="n"><decision id="f" name="f"><decisionTable hitPolicy="RULE ORDER"><input><inputExpression typeRef="string"><text>name</text></inputExpression></input><input><inputExpression typeRef="number"><text>amount</text></inputExpression></input><output name="o" typeRef="number"/><output name="p" typeRef="date"/><rule><inputEntry><text>.startsWith("A")</text></inputEntry><inputEntry><text>&gt;= 5</text></inputEntry><outputEntry><text>o + amount</text></outputEntry><outputEntry><text>fn_date('2030-01-01')</text></outputEntry></rule><rule><inputEntry><text>${collection:anyOf(f, '1,2')}</text></inputEntry><inputEntry><text>.5</text></inputEntry><outputEntry><text>#{o * 2}</text></outputEntry><outputEntry><text>-</text></outputEntry></rule></decisionTable></decision></definitions>"##,
    r##"<definitions xmlns="https://www.omg.org/spec/DMN/20230324/MODEL/" id="d" name="d" namespace="n"><import name="lib" namespace="lib" importType="https://www.omg.org/spec/DMN/20230324/MODEL/"/><decision id="x" name="x"><knowledgeRequirement><requiredKnowledge href="lib#double"/></knowledgeRequirement><literalExpression><text>lib.double(21)</text></literalExpression></decision></definitions>"##,
];

pub const WORDS: &[&str] = &[
    "<rule>",
    "</rule>",
    "<decision id=\"z\" name=\"z\">",
    "</decision>",
    "<text>",
    "</text>",
    "<literalExpression><text>1</text></literalExpression>",
    "hitPolicy=\"UNIQUE\"",
    "hitPolicy=\"OUTPUT ORDER\"",
    "hitPolicy=\"PRIORITY\"",
    "hitPolicy=\"ANY\"",
    "aggregation=\"COUNT\"",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "&amp;",
    "&#0;",
    "&lt;",
    "<!DOCTYPE x [<!ENTITY a \"b\">]>",
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>",
    "xmlns:a=\"b\"",
    "typeRef=\"tPerson\"",
    "href=\"#fee\"",
    "isCollection=\"true\"",
    "<inputEntry><text>-</text></inputEntry>",
    "<functionDefinition kind=\"Java\">",
    "<typeConstraint><text>> 5</text></typeConstraint>",
    "\"",
    "=",
    "<",
    ">",
    "/",
    "id=\"fee\"",
];
