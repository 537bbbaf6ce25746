//! Regular expressions and their matches.

use std::rc::Rc;

use orloj_expr::pattern::GROUP_BYTES_PER_STEP;

use crate::pattern::{Groups, Pattern, groups};
use crate::run::{Machine, Thrown};
use crate::value::Val;

use super::int;

/// What a search may read.
const BYTES_PER_STEP: usize = 4;

impl Machine<'_> {
    /// Every match as the script sees it: a text, or a list when there are groups.
    pub(crate) fn all_matches(&mut self, matcher: &Val, at: u32) -> Thrown<Vec<Val>> {
        let Val::Matcher(id) = matcher else { return Ok(Vec::new()) };
        let object = &self.heap.matchers[*id as usize];
        let (text, pattern) = (object.text.clone(), object.pattern.clone());
        let found = find_all(self, &text, &pattern, at)?;
        found.iter().map(|groups| as_value(self, &text, groups, at)).collect()
    }
}

fn find_all(m: &mut Machine<'_>, text: &str, pattern: &Pattern, at: u32) -> Thrown<Vec<Groups>> {
    let mut found = Vec::new();
    let mut searches = pattern.searches(text);
    loop {
        m.steps(searches.steps(), at)?;
        let Some(captures) = searches.next_captures() else { break };
        let whole = captures.get(0).map_or(0, |whole| whole.len());
        m.steps(4 + whole / GROUP_BYTES_PER_STEP, at)?;
        m.bytes(captures.len() * 24, at)?;
        found.push(groups(&captures));
    }
    Ok(found)
}

fn next_boundary(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(text.len() + 1, |c| at + c.len_utf8())
}

fn group_text(text: &str, group: Option<(usize, usize)>) -> Val {
    group.map_or(Val::Null, |(from, to)| Val::text(&text[from..to]))
}

fn as_value(m: &mut Machine<'_>, text: &str, groups: &Groups, at: u32) -> Thrown<Val> {
    if groups.len() == 1 {
        return Ok(group_text(text, groups[0]));
    }
    let items = groups.iter().map(|group| group_text(text, *group)).collect();
    m.new_list(items, at)
}

pub(super) fn invoke(
    m: &mut Machine<'_>,
    target: &Val,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let id = match target {
        Val::Matcher(id) => *id,
        Val::Pattern(pattern) => {
            return match (name, arguments) {
                ("matcher", [text]) => m.matcher(text, target, at).map(|id| Some(Val::Matcher(id))),
                ("pattern", []) => m.text(pattern.source.clone(), at).map(Some),
                _ => Ok(None),
            };
        }
        _ => return Ok(None),
    };
    let object = &m.heap.matchers[id as usize];
    let (text, pattern, from) = (object.text.clone(), object.pattern.clone(), object.from);
    m.steps(text.len() / BYTES_PER_STEP + 1, at)?;
    Ok(Some(match (name, arguments) {
        ("find", []) => {
            let groups = pattern.find_at(&text, from);
            let (start, end) = groups.as_ref().and_then(|g| g[0]).unwrap_or_default();
            let object = &mut m.heap.matchers[id as usize];
            object.from = if end > start { end } else { next_boundary(&text, end.min(text.len())) };
            object.last = groups;
            Val::Bool(object.last.is_some())
        }
        ("matches", []) => {
            let object = &mut m.heap.matchers[id as usize];
            object.last = pattern.match_whole(&text);
            Val::Bool(object.last.is_some())
        }
        ("group", []) => group(m, id, &text, 0, at)?,
        ("group", [Val::Text(name) | Val::GString(name)]) => {
            let number = pattern.group_number(name).unwrap_or(usize::MAX);
            group(m, id, &text, number, at)?
        }
        ("group", [number]) => {
            let number = usize::try_from(m.whole(number, at)?).unwrap_or(usize::MAX);
            group(m, id, &text, number, at)?
        }
        ("groupCount", []) => int(pattern.find_at(&text, 0).map_or(0, |groups| groups.len() - 1)),
        ("getCount" | "size", []) => int(find_all(m, &text, &pattern, at)?.len()),
        ("start", []) => position(m, id, &text, |(from, _)| from),
        ("end", []) => position(m, id, &text, |(_, to)| to),
        ("reset", []) => {
            let object = &mut m.heap.matchers[id as usize];
            (object.from, object.last) = (0, None);
            Val::Matcher(id)
        }
        ("replaceAll" | "replaceFirst", [with]) => {
            let with = m.show(with, at)?;
            replace(m, &text, &pattern, &with, name == "replaceFirst", at)?
        }
        ("getAt", [index]) => m.index(&Val::Matcher(id), index, at)?,
        _ => return Ok(None),
    }))
}

fn group(m: &mut Machine<'_>, id: u32, text: &str, number: usize, at: u32) -> Thrown<Val> {
    let last = &m.heap.matchers[id as usize].last;
    match last.as_ref().map(|groups| groups.get(number)) {
        Some(Some(group)) => Ok(group_text(text, *group)),
        Some(None) => {
            Err(m.throw("java.lang.IndexOutOfBoundsException", format!("No group {number}"), at))
        }
        None => Err(m.throw("java.lang.IllegalStateException", "No match found", at)),
    }
}

fn position(m: &Machine<'_>, id: u32, text: &str, end: impl Fn((usize, usize)) -> usize) -> Val {
    let last = &m.heap.matchers[id as usize].last;
    match last.as_ref().and_then(|groups| groups[0]) {
        Some(span) => int(text[..end(span)].chars().count()),
        None => Val::Int(-1),
    }
}

/// Methods of texts that take a regular expression.
pub(super) fn invoke_text(
    m: &mut Machine<'_>,
    text: &Rc<str>,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let Some(first) = arguments.first() else { return Ok(None) };
    let pattern = match first {
        Val::Pattern(pattern) => pattern.clone(),
        Val::Text(source) | Val::GString(source) => m.pattern(source, at)?,
        Val::Char(c) => m.pattern(&regex::escape(&c.to_string()), at)?,
        _ => return Ok(None),
    };
    m.steps(text.len() / BYTES_PER_STEP + 1, at)?;
    Ok(Some(match (name, &arguments[1..]) {
        ("matches", []) => Val::Bool(pattern.is_whole_match(text)),
        ("find", []) => match pattern.find_at(text, 0) {
            Some(groups) => group_text(text, groups[0]),
            None => Val::Null,
        },
        ("findAll", []) => {
            let found = find_all(m, text, &pattern, at)?;
            let items = found.iter().map(|groups| group_text(text, groups[0])).collect();
            m.new_list(items, at)?
        }
        ("split", rest) => {
            let limit = match rest {
                [limit] => m.whole(limit, at)?,
                _ => 0,
            };
            split(m, text, &pattern, limit, at)?
        }
        ("replaceAll", [Val::Closure(closure)]) => replace_with(m, text, &pattern, *closure, at)?,
        ("replaceAll" | "replaceFirst", [with]) => {
            let with = m.show(with, at)?;
            replace(m, text, &pattern, &with, name == "replaceFirst", at)?
        }
        _ => return Ok(None),
    }))
}

/// As Java: without a limit, empty parts at the end are left out.
fn split(m: &mut Machine<'_>, text: &str, pattern: &Pattern, limit: i64, at: u32) -> Thrown<Val> {
    let found = find_all(m, text, pattern, at)?;
    let (mut parts, mut from) = (Vec::new(), 0);
    for groups in &found {
        let (start, end) = groups[0].unwrap_or_default();
        if limit > 0 && parts.len() + 1 >= usize::try_from(limit).unwrap_or(usize::MAX) {
            break;
        }
        // A match of nothing at the start splits nothing off.
        if end == 0 {
            continue;
        }
        parts.push(&text[from..start]);
        from = end;
    }
    parts.push(&text[from..]);
    if limit == 0 {
        while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
    }
    m.bytes(text.len(), at)?;
    let parts = parts.into_iter().map(Val::text).collect();
    m.new_array_of(parts, "java.lang.String", at)
}

fn replace(
    m: &mut Machine<'_>,
    text: &str,
    pattern: &Pattern,
    with: &str,
    only_first: bool,
    at: u32,
) -> Thrown<Val> {
    let mut found = find_all(m, text, pattern, at)?;
    if only_first {
        found.truncate(1);
    }
    let (mut out, mut from) = (String::new(), 0);
    for groups in &found {
        let (start, end) = groups[0].unwrap_or_default();
        out.push_str(&text[from..start]);
        expand(m, with, (text, groups, pattern), &mut out, at)?;
        from = end;
    }
    out.push_str(&text[from..]);
    m.text(out, at)
}

/// `$1`, `${name}` and `\x` in the text that replaces a match.
fn expand(
    m: &mut Machine<'_>,
    with: &str,
    (text, groups, pattern): (&str, &Groups, &Pattern),
    out: &mut String,
    at: u32,
) -> Thrown<()> {
    // All of it is counted once it is done; a group that is named often must not get that far.
    let mut push = |out: &mut String, group: Option<(usize, usize)>| {
        let group = group.map_or("", |(from, to)| &text[from..to]);
        // A text that grows has room for twice of what it holds.
        if out.len() + group.len() > m.options.budget.bytes_max / 2 {
            m.bytes(2 * (out.len() + group.len()), at)?;
        }
        out.push_str(group);
        Ok(())
    };
    let mut chars = with.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            '$' if chars.peek() == Some(&'{') => {
                let name: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                let group = pattern.group_number(&name).and_then(|number| groups[number]);
                push(out, group)?;
            }
            '$' => {
                let mut number = 0;
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                    let longer = number * 10 + digit as usize;
                    if number > 0 && longer >= groups.len() {
                        break;
                    }
                    number = longer;
                    chars.next();
                }
                push(out, groups.get(number).copied().flatten())?;
            }
            c => out.push(c),
        }
    }
    Ok(())
}

fn replace_with(
    m: &mut Machine<'_>,
    text: &str,
    pattern: &Pattern,
    closure: u32,
    at: u32,
) -> Thrown<Val> {
    let found = find_all(m, text, pattern, at)?;
    let (mut out, mut from) = (String::new(), 0);
    for groups in &found {
        let (start, end) = groups[0].unwrap_or_default();
        out.push_str(&text[from..start]);
        let arguments = groups.iter().map(|group| group_text(text, *group)).collect::<Vec<_>>();
        let wanted = m.arity(closure).max(1).min(arguments.len());
        let value = m.call(closure, arguments[..wanted].to_vec(), at)?;
        m.show_into(&value, &mut out, at)?;
        from = end;
    }
    out.push_str(&text[from..]);
    m.text(out, at)
}
