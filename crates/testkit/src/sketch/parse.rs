use orloj_model::Dialect;

use super::{Async, Flow, ListenerEvent, Node, NodeKind, Settings, Sketch, SketchError, Trigger};
use crate::duration;
use crate::text::{bracketed, split_outside};

type Result<T> = std::result::Result<T, String>;

pub(super) fn parse(text: &str) -> std::result::Result<Sketch, SketchError> {
    let mut lines = text.lines().enumerate();
    let at = |line: usize| move |message: String| SketchError { line, message };
    let (_, first) = lines.next().ok_or_else(|| at(0)("the sketch is empty".into()))?;
    let Header { id, dialect, priority, active_in_ms, chain } = header(first).map_err(at(0))?;
    let mut drawing = Drawing { nodes: Vec::new(), flows: Vec::new() };
    drawing.chain(chain).map_err(at(0))?;
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        drawing.chain(line).map_err(at(number))?;
    }
    let nodes = drawing.nodes.into_iter().map(|draft| match draft.kind {
        Some(kind) => {
            Ok(Node { id: draft.id, kind, settings: draft.settings, parent: draft.parent })
        }
        None => Err(at(0)(format!("'{}' is never defined", draft.id))),
    });
    Ok(Sketch {
        id,
        dialect,
        priority,
        active_in_ms,
        nodes: nodes.collect::<std::result::Result<_, _>>()?,
        flows: drawing.flows,
    })
}

struct Header<'a> {
    id: String,
    dialect: Dialect,
    priority: Option<String>,
    active_in_ms: Option<i64>,
    /// The first one.
    chain: &'a str,
}

fn header(line: &str) -> Result<Header<'_>> {
    let wrong = || "a process begins `process ID:` or `process ID, DIALECT:`".to_owned();
    let rest = line.trim().strip_prefix("process ").ok_or_else(wrong)?;
    let name = *split_outside(rest, ":")?.first().ok_or_else(wrong)?;
    let chain = rest[name.len()..].strip_prefix(':').ok_or_else(wrong)?;
    let mut parts = split_outside(name, ",")?.into_iter().map(str::trim);
    let id = parts.next().filter(|id| is_name(id)).ok_or_else(wrong)?.to_owned();
    let (mut dialect, mut priority, mut active_in_ms) = (Dialect::Zeebe, None, None);
    for part in parts {
        match part {
            "zeebe" => dialect = Dialect::Zeebe,
            "camunda" => dialect = Dialect::Camunda7,
            "flowable" => dialect = Dialect::Flowable,
            other => match first_word(other) {
                ("priority", rest) if !rest.is_empty() => {
                    priority = Some(unquoted(rest).to_owned());
                }
                ("active", rest) => {
                    let ms = rest.strip_prefix("in ").and_then(duration::parse);
                    active_in_ms = Some(ms.ok_or("a process is `active in 10m`")?);
                }
                _ => return Err(format!("no dialect '{other}'")),
            },
        }
    }
    Ok(Header { id, dialect, priority, active_in_ms, chain })
}

struct Drawing {
    nodes: Vec<Draft>,
    flows: Vec<Flow>,
}

struct Draft {
    id: String,
    kind: Option<NodeKind>,
    settings: Settings,
    parent: Option<String>,
}

/// One station of a chain.
struct Station {
    id: String,
    kind: Option<NodeKind>,
    settings: Settings,
    /// Of the flow to the next station.
    condition: Option<String>,
}

impl Drawing {
    fn chain(&mut self, line: &str) -> Result<()> {
        let (line, parent) = self.scope_of(line)?;
        let stations = split_outside(line, "->")?;
        let is_ad_hoc = |id: &String| {
            let known = self.nodes.iter().find(|node| node.id == *id);
            known.is_some_and(|node| node.kind == Some(NodeKind::AdHoc))
        };
        if stations.len() < 2 && !parent.as_ref().is_some_and(is_ad_hoc) {
            return Err("a chain joins at least two elements with `->`".into());
        }
        let mut from: Option<(String, Option<String>)> = None;
        for station in stations {
            let mut station = read_station(station.trim())?;
            if let Some(parent) = &parent
                && (station.id == "start" || station.id == "end")
            {
                station.id = format!("{parent}_{}", station.id);
            }
            if let Some((from, condition)) = from {
                self.flows.push(Flow { from, to: station.id.clone(), condition });
            }
            from = Some((station.id.clone(), station.condition.clone()));
            self.place(station, parent.as_ref())?;
        }
        Ok(())
    }

    /// The rest of a line that begins `in NAME:` or `event NAME:`, and that name. An event
    /// subprocess lies in the one that is named after it.
    fn scope_of<'l>(&mut self, line: &'l str) -> Result<(&'l str, Option<String>)> {
        let line = line.trim();
        let (head, is_event) = match (line.strip_prefix("in "), line.strip_prefix("event ")) {
            (Some(rest), _) => (rest, false),
            (None, Some(rest)) => (rest, true),
            (None, None) => return Ok((line, None)),
        };
        let (name, chain) = head.split_once(':').ok_or("a colon follows the subprocess's name")?;
        let (name, around) = match name.split_once(" in ") {
            Some((name, around)) if is_event => (name, Some(around.trim().to_owned())),
            _ => (name, None),
        };
        let id = name.trim().to_owned();
        if is_event && !self.nodes.iter().any(|node| node.id == id) {
            let kind = Some(NodeKind::SubProcess { is_event });
            let settings = Settings::default();
            self.nodes.push(Draft { id: id.clone(), kind, settings, parent: around });
        }
        Ok((chain, Some(id)))
    }

    fn place(&mut self, station: Station, parent: Option<&String>) -> Result<()> {
        let known = self.nodes.iter_mut().find(|node| node.id == station.id);
        let Some(known) = known else {
            let Station { id, kind, settings, .. } = station;
            self.nodes.push(Draft { id, kind, settings, parent: parent.cloned() });
            return Ok(());
        };
        match (&known.kind, station.kind) {
            (None, Some(kind)) => {
                known.kind = Some(kind);
                known.settings = station.settings;
            }
            // These have nothing to define, so they may be named in full again.
            (Some(known), Some(again)) if is_repeatable(&again) && *known == again => {}
            (Some(_), Some(_)) => return Err(format!("'{}' is defined twice", station.id)),
            (_, None) => {}
        }
        Ok(())
    }
}

fn is_repeatable(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Start
            | NodeKind::End
            | NodeKind::Exclusive
            | NodeKind::Inclusive
            | NodeKind::Parallel
            | NodeKind::Race
    )
}

fn read_station(text: &str) -> Result<Station> {
    let plain = |id: &str, kind: Option<NodeKind>| {
        let settings = Settings::default();
        Ok(Station { id: id.to_owned(), kind, settings, condition: None })
    };
    if text == "start" {
        return plain("start", Some(NodeKind::Start));
    }
    if text == "end" {
        return plain("end", Some(NodeKind::End));
    }
    if let Some(id) = text.strip_prefix("end ").map(str::trim).filter(|id| is_name(id)) {
        return plain(id, Some(NodeKind::End));
    }
    if let Some(end) = text.strip_prefix("end ").filter(|end| end.contains('{')) {
        let (id, _) = end.split_once('{').unwrap_or((end, ""));
        let kind = NodeKind::EndOn(trigger_of(bracketed(&end[id.len()..], '{', '}')?)?);
        return plain(id.trim(), Some(kind));
    }
    if let Some((of, event)) = text.split_once('@') {
        return boundary(of.trim(), event.trim());
    }
    if let Some((id, rest)) = text.split_once('+').filter(|(id, _)| is_name(id)) {
        let mut settings = Settings::default();
        if !rest.is_empty() {
            for part in split_outside(bracketed(rest, '{', '}')?, ",")? {
                set(&mut settings, part.trim())?;
            }
        }
        let kind = Some(NodeKind::Parallel);
        return Ok(Station { id: id.to_owned(), kind, settings, condition: None });
    }
    if let Some(id) = text.strip_suffix('!').filter(|id| is_name(id)) {
        return plain(id, Some(NodeKind::Race));
    }
    let choice = |sign: char, kind: NodeKind| {
        let (id, rest) = text.split_once(sign).filter(|(id, _)| is_name(id))?;
        Some((id, rest, kind))
    };
    let choice = choice('?', NodeKind::Exclusive).or_else(|| choice('*', NodeKind::Inclusive));
    if let Some((id, rest, kind)) = choice {
        let mut settings = Settings::default();
        let rest = match rest.trim().split_once(']') {
            Some((inside, rest)) if inside.starts_with('[') => {
                for part in split_outside(&inside[1..], ",")? {
                    set(&mut settings, part.trim())?;
                }
                rest
            }
            _ => rest,
        };
        let condition = match rest.trim() {
            "" => None,
            rest => Some(bracketed(rest, '{', '}')?.to_owned()),
        };
        let kind = Some(kind);
        return Ok(Station { id: id.to_owned(), kind, settings, condition });
    }
    let Some((id, _)) = text.split_once('{') else {
        return match is_name(text) {
            true => plain(text, None),
            false => Err(format!("'{text}' is no element")),
        };
    };
    let inside = bracketed(&text[id.len()..], '{', '}')?;
    let mut parts = split_outside(inside, ",")?.into_iter().map(str::trim);
    let first = parts.next().unwrap_or("");
    let mut settings = Settings::default();
    let kind = match (id.trim(), first_word(first).0) {
        ("start", "async") => {
            set(&mut settings, first)?;
            NodeKind::Start
        }
        ("start", _) => NodeKind::StartOn(trigger_of(first)?),
        _ => kind_of(first)?,
    };
    for part in parts {
        set(&mut settings, part)?;
    }
    Ok(Station { id: id.trim().to_owned(), kind: Some(kind), settings, condition: None })
}

fn kind_of(text: &str) -> Result<NodeKind> {
    let (word, rest) = first_word(text);
    Ok(match word {
        "service" if !rest.is_empty() => NodeKind::Worker { job_type: rest.to_owned() },
        "delegate" if !rest.is_empty() => NodeKind::Delegate { name: rest.to_owned() },
        "expression" if !rest.is_empty() => {
            NodeKind::Expression { text: unquoted(rest).to_owned() }
        }
        "builtin" if !rest.is_empty() => NodeKind::Builtin { kind: rest.to_owned() },
        "user" if rest.is_empty() => NodeKind::User,
        "script" if !rest.is_empty() => {
            let (language, source) = first_word(rest);
            NodeKind::Script { language: language.to_owned(), source: unquoted(source).to_owned() }
        }
        "decision" if !rest.is_empty() => NodeKind::Decision { id: unquoted(rest).to_owned() },
        "receive" if !rest.is_empty() => NodeKind::Receive { message: unquoted(rest).to_owned() },
        "call" if !rest.is_empty() => NodeKind::Call { process: unquoted(rest).to_owned() },
        "subprocess" if rest.is_empty() => NodeKind::SubProcess { is_event: false },
        "adhoc" if rest.is_empty() => NodeKind::AdHoc,
        "message" | "signal" | "condition" | "link" => NodeKind::CatchOn(trigger_of(text)?),
        "throw" => NodeKind::ThrowOn(trigger_of(rest)?),
        "timer" if !rest.is_empty() => NodeKind::Catch { timer: unquoted(rest).to_owned() },
        _ => return Err(format!("no kind of element '{text}'")),
    })
}

fn trigger_of(text: &str) -> Result<Trigger> {
    let (word, rest) = first_word(text);
    let name = unquoted(rest).to_owned();
    Ok(match word {
        "message" if !name.is_empty() => Trigger::Message(name),
        "signal" if !name.is_empty() => Trigger::Signal(name),
        "timer" if !name.is_empty() => Trigger::Timer(name),
        "error" if !name.is_empty() => Trigger::Error(name),
        "escalation" => Trigger::Escalation((!name.is_empty()).then_some(name)),
        "condition" if !name.is_empty() => Trigger::Condition(name),
        "link" if !name.is_empty() => Trigger::Link(name),
        "cancel" => Trigger::Cancel,
        "compensation" => Trigger::Compensation,
        "terminate" => Trigger::Terminate,
        _ => return Err(format!("no event '{text}'")),
    })
}

fn set(settings: &mut Settings, text: &str) -> Result<()> {
    let (word, rest) = first_word(text);
    let value = || (!rest.is_empty()).then(|| unquoted(rest).to_owned());
    let pair = || {
        let (name, value) = rest.split_once('=').ok_or_else(|| format!("'{text}' lacks a ="))?;
        Ok::<_, String>((name.trim().to_owned(), unquoted(value.trim()).to_owned()))
    };
    match (word, rest) {
        ("async", "") => settings.async_before = Some(Async { exclusive: true }),
        ("async", "nonexclusive") => settings.async_before = Some(Async { exclusive: false }),
        ("async", "after") => settings.async_after = Some(Async { exclusive: true }),
        ("async", "after nonexclusive") => settings.async_after = Some(Async { exclusive: false }),
        ("key", _) => settings.key = value(),
        ("alongside", "") => settings.alongside = true,
        ("each", _) => {
            let (items, item) = rest.split_once(" as ").ok_or("'each ITEMS as ITEM' is meant")?;
            settings.each = Some((items.trim().to_owned(), item.trim().to_owned()));
        }
        ("one", "by one") => settings.one_by_one = true,
        ("nonexclusive", "") => settings.nonexclusive = true,
        ("retry", _) => settings.retry = value(),
        ("retries", _) => settings.retries = value(),
        ("priority", _) => settings.priority = value(),
        ("category", _) => settings.category = value(),
        ("inner", "async") => settings.inner_async_before = true,
        ("inner", "async after") => settings.inner_async_after = true,
        ("inner", cycle) if cycle.starts_with("retry ") => {
            settings.inner_retry = Some(unquoted(first_word(cycle).1).to_owned());
        }
        ("transactional", "") => settings.transactional = true,
        ("asynchronously", "") => settings.asynchronously = true,
        ("assignee", _) => settings.assignee = value(),
        ("result", _) => settings.result = value(),
        ("shape", _) => settings.shape = value(),
        ("bound", _) => settings.bound = value(),
        ("stores", "") => settings.stores = true,
        ("withholds", "") => settings.withholds = true,
        ("header", _) => settings.headers.push(pair()?),
        ("in", _) => settings.inputs.push(pair()?),
        ("out", _) => settings.outputs.push(pair()?),
        ("active", _) => settings.active = value(),
        ("until", _) => settings.until = value(),
        ("on", _) => settings.listeners.push(listener(rest)?),
        _ => return Err(format!("no setting '{text}'")),
    }
    Ok(())
}

/// `EVENT NAME`
fn listener(text: &str) -> Result<(ListenerEvent, String)> {
    let (event, name) = first_word(text);
    let event = match event {
        "start" => ListenerEvent::Start,
        "end" => ListenerEvent::End,
        "create" => ListenerEvent::Create,
        "assign" => ListenerEvent::Assign,
        "complete" => ListenerEvent::Complete,
        "update" => ListenerEvent::Update,
        "delete" => ListenerEvent::Delete,
        other => return Err(format!("no listener hears of '{other}'")),
    };
    match name.is_empty() {
        true => Err(format!("who listens to '{text}'?")),
        false => Ok((event, name.to_owned())),
    }
}

fn boundary(of: &str, event: &str) -> Result<Station> {
    let (event, name) = match event.rsplit_once(" as ") {
        Some((event, name)) => (event.trim(), Some(name.trim())),
        None => (event, None),
    };
    let (word, inside) = match event.find('(') {
        Some(at) => (&event[..at], bracketed(&event[at..], '(', ')')?),
        None => (event, ""),
    };
    let mut parts = split_outside(inside, ",")?.into_iter().map(str::trim);
    let first = parts.next().unwrap_or("");
    let of = of.to_owned();
    let mut settings = Settings::default();
    let kind = match word {
        "message" | "signal" | "escalation" | "condition" | "cancel" | "compensation" => {
            for part in parts {
                set(&mut settings, part)?;
            }
            let trigger = trigger_of(&format!("{word} {first}"))?;
            let interrupting = !std::mem::take(&mut settings.alongside);
            NodeKind::On { of: of.clone(), trigger, interrupting }
        }
        "timer" if !first.is_empty() => {
            let mut interrupting = true;
            for part in parts {
                match part {
                    "alongside" => interrupting = false,
                    other => set(&mut settings, other)?,
                }
            }
            NodeKind::OnTimer { of: of.clone(), timer: first.to_owned(), interrupting }
        }
        "error" => {
            let (mut code_variable, mut message_variable) = (None, None);
            for part in parts {
                match first_word(part) {
                    ("code", name) => code_variable = Some(name.to_owned()),
                    ("message", name) => message_variable = Some(name.to_owned()),
                    _ => return Err(format!("no setting '{part}'")),
                }
            }
            let code = (!first.is_empty()).then(|| first.to_owned());
            NodeKind::OnError { of: of.clone(), code, code_variable, message_variable }
        }
        _ => return Err(format!("no boundary event '@{event}'")),
    };
    let id = name.map_or_else(|| format!("{of}_{word}"), str::to_owned);
    Ok(Station { id, kind: Some(kind), settings, condition: None })
}

fn first_word(text: &str) -> (&str, &str) {
    text.split_once(' ').map_or((text, ""), |(word, rest)| (word, rest.trim()))
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
