//! Which children an element may have, in which order.

use crate::read::context::Node;
use crate::schema::table::{Name, Particle, Schema, Space, TypeRef, What};

/// How a child is to be looked at.
#[derive(Clone, Copy)]
pub(crate) enum Assessed {
    As(TypeRef),
    /// By its own declaration where there is one.
    Lax,
    /// There must be a declaration.
    Strict,
}

pub(crate) enum Misfit<'a> {
    Unexpected(Node<'a>),
    /// The names of what could follow.
    Incomplete(&'static str),
}

/// Matches children against the content of a type. The models of the standard are deterministic,
/// so the first particle that takes a child is the right one.
pub(crate) struct Matcher<'s, 'a> {
    schema: &'s Schema,
    children: &'s [Node<'a>],
    at: usize,
    pub assessed: Vec<Assessed>,
}

impl<'s, 'a> Matcher<'s, 'a> {
    pub fn new(schema: &'s Schema, children: &'s [Node<'a>]) -> Self {
        Self { schema, children, at: 0, assessed: Vec::with_capacity(children.len()) }
    }

    /// Children after a misfit are left to their own declarations.
    pub fn run(&mut self, content: &[Particle]) -> Option<Misfit<'a>> {
        let misfit = self.sequence(content).err().or_else(|| {
            let rest = self.children.get(self.at)?;
            Some(Misfit::Unexpected(*rest))
        });
        self.assessed.resize(self.children.len(), Assessed::Lax);
        misfit
    }

    fn sequence(&mut self, content: &[Particle]) -> Result<(), Misfit<'a>> {
        content.iter().try_for_each(|particle| self.particle(particle))
    }

    fn particle(&mut self, particle: &Particle) -> Result<(), Misfit<'a>> {
        let mut count = 0;
        while count < particle.max {
            let Some(child) = self.children.get(self.at) else { break };
            let Some(assessed) = self.take(*child, particle)? else { break };
            self.assessed.extend(assessed);
            count += 1;
        }
        if count >= particle.min || may_be_empty(particle) {
            return Ok(());
        }
        Err(match self.children.get(self.at) {
            Some(child) => Misfit::Unexpected(*child),
            None => Misfit::Incomplete(name_of(particle)),
        })
    }

    /// `Ok(None)`: the particle does not take the child. A choice that takes it has noted so
    /// itself.
    fn take(
        &mut self,
        child: Node<'a>,
        particle: &Particle,
    ) -> Result<Option<Option<Assessed>>, Misfit<'a>> {
        let name = name(child);
        let assessed = match &particle.what {
            What::Local(known, of) => (name == Some(*known)).then_some(Assessed::As(*of)),
            What::Reference(head) => name
                .filter(|name| self.schema.may_replace(*name, *head))
                .and_then(|name| self.schema.element(name))
                .map(Assessed::As),
            What::Any { only_other, is_strict } => {
                let namespace = child.tag_name().namespace().filter(|found| !found.is_empty());
                let is_own = name.is_some_and(|(space, _)| space == Space::Bpmn);
                let fits = !only_other || (namespace.is_some() && !is_own);
                fits.then_some(if *is_strict { Assessed::Strict } else { Assessed::Lax })
            }
            What::Choice(branches) => {
                for branch in branches {
                    if self.can_begin(branch, child) {
                        self.sequence(branch)?;
                        return Ok(Some(None));
                    }
                }
                None
            }
        };
        if assessed.is_some() {
            self.at += 1;
        }
        Ok(assessed.map(Some))
    }

    fn can_begin(&self, branch: &[Particle], child: Node<'a>) -> bool {
        let name = name(child);
        for particle in branch {
            let takes = match &particle.what {
                What::Local(known, _) => name == Some(*known),
                What::Reference(head) => {
                    name.is_some_and(|name| self.schema.may_replace(name, *head))
                }
                What::Any { .. } => true,
                What::Choice(inner) => inner.iter().any(|branch| self.can_begin(branch, child)),
            };
            if takes {
                return true;
            }
            if particle.min > 0 {
                return false;
            }
        }
        false
    }
}

fn may_be_empty(particle: &Particle) -> bool {
    match &particle.what {
        _ if particle.min == 0 => true,
        What::Choice(branches) => branches.iter().any(|branch| branch.iter().all(may_be_empty)),
        _ => false,
    }
}

fn name_of(particle: &Particle) -> &'static str {
    match &particle.what {
        What::Local((_, name), _) | What::Reference((_, name)) => name,
        What::Any { .. } => "an element",
        What::Choice(branches) => branches.iter().flatten().next().map_or("an element", name_of),
    }
}

pub(crate) fn name(node: Node<'_>) -> Option<Name<'_>> {
    let space = Space::of(node.tag_name().namespace())?;
    Some((space, node_name(node)))
}

fn node_name(node: Node<'_>) -> &str {
    node.tag_name().name()
}
