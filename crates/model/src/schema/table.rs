//! The rules of `bpmn20.txt`, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::read::dialect::BPMN;
use crate::schema::simple::Simple;

/// The rules of the standard. Reading them is a matter of microseconds.
pub(crate) static SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| Schema::read(include_str!("bpmn20.txt")));

const BPMNDI: &str = "http://www.omg.org/spec/BPMN/20100524/DI";
const DI: &str = "http://www.omg.org/spec/DD/20100524/DI";
const DC: &str = "http://www.omg.org/spec/DD/20100524/DC";

/// A namespace that the rules know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Space {
    Bpmn,
    BpmnDi,
    Di,
    Dc,
}

impl Space {
    pub fn of(namespace: Option<&str>) -> Option<Self> {
        Some(match namespace? {
            BPMN => Self::Bpmn,
            BPMNDI => Self::BpmnDi,
            DI => Self::Di,
            DC => Self::Dc,
            _ => return None,
        })
    }
}

pub(crate) type Name<'t> = (Space, &'t str);

/// Index of a complex type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeIndex(usize);

#[derive(Clone, Copy, Debug)]
pub(crate) enum TypeRef {
    Simple(Simple),
    Complex(TypeIndex),
}

pub(crate) struct Schema {
    elements: BTreeMap<Name<'static>, Declared>,
    types: Vec<Type>,
    names: BTreeMap<Name<'static>, TypeIndex>,
}

struct Declared {
    of: TypeRef,
    /// Every element in whose place this one may stand.
    heads: Vec<Name<'static>>,
}

/// A complex type with everything its bases have.
#[derive(Clone, Default)]
pub(crate) struct Type {
    pub is_abstract: bool,
    pub is_mixed: bool,
    pub content: Vec<Particle>,
    pub attributes: Vec<Attribute>,
    /// Whether attributes of other vendors may stand there.
    pub has_other_attributes: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute {
    pub name: &'static str,
    pub of: Simple,
    pub is_required: bool,
    pub is_flowables: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Particle {
    pub what: What,
    pub min: usize,
    pub max: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A global element, or one that may stand in its place.
    Reference(Name<'static>),
    Local(Name<'static>, TypeRef),
    Choice(Vec<Vec<Particle>>),
    Any {
        only_other: bool,
        is_strict: bool,
    },
}

impl Schema {
    /// The type of a global element.
    pub fn element(&self, name: Name<'_>) -> Option<TypeRef> {
        self.elements.get(&name).map(|declared| declared.of)
    }

    pub fn may_replace(&self, name: Name<'_>, head: Name<'_>) -> bool {
        let stands_for = |declared: &Declared| declared.heads.contains(&head);
        name == head || self.elements.get(&name).is_some_and(stands_for)
    }

    pub fn get(&self, index: TypeIndex) -> &Type {
        &self.types[index.0]
    }

    /// A complex type by its name.
    pub fn named(&self, name: Name<'_>) -> Option<TypeIndex> {
        self.names.get(&name).copied()
    }

    fn read(text: &'static str) -> Self {
        let lines: Vec<Vec<&str>> = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .map(|line| line.split(' ').collect())
            .collect();
        let of_kind = |kind: &'static str| lines.iter().filter(move |words| words[0] == kind);
        let enums: BTreeMap<_, _> =
            of_kind("enum").map(|words| (words[1], enumeration(&words[2..]))).collect();
        let names: BTreeMap<_, _> =
            of_kind("type").enumerate().map(|(at, words)| (words[1], TypeIndex(at))).collect();
        let reader = Reader { enums, names };
        let own: Vec<(Option<TypeIndex>, Type)> =
            of_kind("type").map(|words| reader.complex(&words[2..])).collect();
        let types = (0..own.len()).map(|at| inherited(&own, at)).collect();
        let heads: BTreeMap<_, _> = of_kind("element")
            .filter(|words| words.len() > 3)
            .map(|words| (name_of(words[1]), name_of(words[4])))
            .collect();
        let elements = of_kind("element").map(|words| {
            let name = name_of(words[1]);
            let above = std::iter::successors(heads.get(&name), |head| heads.get(*head));
            (name, Declared { of: reader.reference(words[2]), heads: above.copied().collect() })
        });
        let elements = elements.collect();
        let names = reader.names.iter().map(|(word, &index)| (name_of(word), index)).collect();
        Self { elements, types, names }
    }
}

/// The values of an enumeration; the last may stand for any URI.
fn enumeration(words: &[&'static str]) -> Simple {
    match words.contains(&"|") {
        true => Simple::Uri,
        // The table is read once and lives as long as the program.
        false => Simple::OneOf(Box::leak(words.to_vec().into_boxed_slice())),
    }
}

/// Bases first, as the standard has it.
fn inherited(own: &[(Option<TypeIndex>, Type)], at: usize) -> Type {
    let line = std::iter::successors(Some(at), |&at| own[at].0.map(|base| base.0));
    let mut line: Vec<usize> = line.collect();
    line.reverse();
    let mut whole = Type { is_abstract: own[at].1.is_abstract, ..Type::default() };
    for ancestor in line {
        let part = &own[ancestor].1;
        whole.is_mixed |= part.is_mixed;
        whole.has_other_attributes |= part.has_other_attributes;
        whole.content.extend(part.content.iter().cloned());
        whole.attributes.extend(&part.attributes);
    }
    whole
}

struct Reader {
    enums: BTreeMap<&'static str, Simple>,
    names: BTreeMap<&'static str, TypeIndex>,
}

impl Reader {
    fn complex(&self, words: &[&'static str]) -> (Option<TypeIndex>, Type) {
        let equals = words.iter().position(|word| *word == "=").expect("a type has an equals sign");
        let (head, body) = words.split_at(equals);
        let base = match head {
            [":", base, ..] => Some(self.names[base]),
            _ => None,
        };
        let mut of = Type {
            is_abstract: head.contains(&"abstract"),
            is_mixed: head.contains(&"mixed"),
            ..Type::default()
        };
        let (attributes, content): (Vec<&'static str>, Vec<&'static str>) =
            body[1..].iter().partition(|word| word.starts_with('@'));
        for word in attributes {
            match word {
                "@##other" => of.has_other_attributes = true,
                _ => of.attributes.push(self.attribute(&word[1..])),
            }
        }
        of.content = self.sequence(&mut content.iter());
        (base, of)
    }

    fn attribute(&self, word: &'static str) -> Attribute {
        let (name, of) = word.split_once(':').expect("an attribute has a type");
        let (name, is_flowables) = match name.strip_prefix('~') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (name, is_required) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let TypeRef::Simple(of) = self.reference(of) else { unreachable!("attributes are simple") };
        Attribute { name, of, is_required, is_flowables }
    }

    /// Up to the end of the group.
    fn sequence(&self, words: &mut std::slice::Iter<'_, &'static str>) -> Vec<Particle> {
        self.alternatives(words).0.into_iter().flatten().collect()
    }

    /// The branches up to the closing bracket, and the word of that bracket.
    fn alternatives(
        &self,
        words: &mut std::slice::Iter<'_, &'static str>,
    ) -> (Vec<Vec<Particle>>, &'static str) {
        let mut branches = vec![Vec::new()];
        while let Some(&word) = words.next() {
            let particle = match word {
                "|" => {
                    branches.push(Vec::new());
                    continue;
                }
                "(" => {
                    let (inside, close) = self.alternatives(words);
                    let (_, min, max) = occurs(close);
                    Particle { what: What::Choice(inside), min, max }
                }
                _ if word.starts_with(')') => return (branches, word),
                _ => self.particle(word),
            };
            let branch = branches.last_mut().expect("there is always one");
            branch.push(particle);
        }
        (branches, "")
    }

    fn particle(&self, word: &'static str) -> Particle {
        let (name, min, max) = occurs(word);
        let what = if let Some(mode) = name.strip_prefix("##other.") {
            What::Any { only_other: true, is_strict: mode == "strict" }
        } else if name.starts_with("##any") {
            What::Any { only_other: false, is_strict: false }
        } else if let Some((name, of)) = name.split_once('=') {
            What::Local(name_of(name), self.reference(of))
        } else {
            What::Reference(name_of(name))
        };
        Particle { what, min, max }
    }

    fn reference(&self, name: &'static str) -> TypeRef {
        if let Some(&index) = self.names.get(name) {
            return TypeRef::Complex(index);
        }
        let of = self.enums.get(name).copied();
        TypeRef::Simple(of.unwrap_or_else(|| Simple::named(name)))
    }
}

/// `name?`, `name*`, `name+`, `name{2,}`, `name`.
fn occurs(word: &'static str) -> (&'static str, usize, usize) {
    if let Some((name, range)) = word.strip_suffix('}').and_then(|word| word.split_once('{')) {
        let (min, max) = range.split_once(',').expect("a range has two ends");
        let number = |text: &str| text.parse().unwrap_or(usize::MAX);
        return (name, number(min), number(max));
    }
    for (sign, min, max) in [('?', 0, 1), ('*', 0, usize::MAX), ('+', 1, usize::MAX)] {
        if let Some(name) = word.strip_suffix(sign) {
            return (name, min, max);
        }
    }
    (word, 1, 1)
}

fn name_of(word: &'static str) -> Name<'static> {
    match word.split_once(':') {
        Some(("bpmndi", name)) => (Space::BpmnDi, name),
        Some(("di", name)) => (Space::Di, name),
        Some(("dc", name)) => (Space::Dc, name),
        _ => (Space::Bpmn, word),
    }
}
