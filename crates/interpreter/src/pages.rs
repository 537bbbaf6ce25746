//! A sorted map whose copies share what they do not change, page by page.
//!
//! Every command works on a copy of the record, and every step is compared with what was before:
//! of an instance with 100,000 tokens both must cost what the step touches, not what there is.
//! Entries lie in pages, pages in branches; a copy shares all of them, a change copies the page and
//! the branch it lies in. The lowest page is the head, and the only one of nearly every instance;
//! it costs one allocation. What is stored page by page (docs/adr/0012) relies on this: a page
//! keeps its name, the lowest key it may hold, as long as it exists.

use std::cmp::Ordering;
use std::iter::{Chain, FlatMap};
use std::slice;
use std::sync::Arc;

use thin_vec::ThinVec;

/// Pages of one branch. With pages of 16 entries a million entries have a thousand branches, which
/// is what a copy costs then.
const BRANCH_PAGES_MAX: usize = 64;

/// `MAX`: entries of one page.
#[derive(Clone, Debug)]
pub struct Pages<K, V, const MAX: usize> {
    /// `None`: it is empty, and costs nothing.
    head: Option<Arc<Vec<(K, V)>>>,
    /// By key; none is empty.
    branches: ThinVec<Arc<Branch<K, V>>>,
    len: usize,
}

/// Some pages.
#[derive(Clone, Debug)]
pub struct Branch<K, V> {
    /// By key; never none.
    pages: Vec<Arc<Page<K, V>>>,
}

/// A page other than the head.
#[derive(Clone, Debug)]
pub struct Page<K, V> {
    /// The lowest key that it may hold.
    pub first: K,
    /// By key; never none.
    pub entries: Vec<(K, V)>,
}

/// A page that is not what it was: as it was, as it is.
pub type Changed<'a, K, V> = (Option<&'a Page<K, V>>, Option<&'a Page<K, V>>);

type Entries<'a, K, V> = slice::Iter<'a, (K, V)>;
type OfBranch<'a, K, V> = slice::Iter<'a, Arc<Page<K, V>>>;
type PagesOf<'a, K, V> = FlatMap<
    slice::Iter<'a, Arc<Branch<K, V>>>,
    OfBranch<'a, K, V>,
    fn(&'a Arc<Branch<K, V>>) -> OfBranch<'a, K, V>,
>;

pub type Iter<'a, K, V> = Chain<
    Entries<'a, K, V>,
    FlatMap<PagesOf<'a, K, V>, Entries<'a, K, V>, fn(&'a Arc<Page<K, V>>) -> Entries<'a, K, V>>,
>;

fn entries_of<K, V>(page: &Arc<Page<K, V>>) -> Entries<'_, K, V> {
    page.entries.iter()
}

fn pages_of<K, V>(branch: &Arc<Branch<K, V>>) -> OfBranch<'_, K, V> {
    branch.pages.iter()
}

/// Where a key belongs.
#[derive(Clone, Copy)]
enum Place {
    Head,
    Page { branch: usize, page: usize },
}

impl<K, V, const MAX: usize> Default for Pages<K, V, MAX> {
    fn default() -> Self {
        Self { head: None, branches: ThinVec::new(), len: 0 }
    }
}

impl<K: Copy + Ord, V: Clone, const MAX: usize> Pages<K, V, MAX> {
    /// The head and the pages as they were stored, each by key.
    pub fn from_parts(head: Vec<(K, V)>, pages: Vec<Page<K, V>>) -> Self {
        let len = head.len() + pages.iter().map(|page| page.entries.len()).sum::<usize>();
        let pages: Vec<_> = pages.into_iter().filter(|p| !p.entries.is_empty()).collect();
        let mut branches = ThinVec::new();
        let mut pages = pages.into_iter().map(Arc::new).peekable();
        while pages.peek().is_some() {
            let pages = pages.by_ref().take(BRANCH_PAGES_MAX).collect();
            branches.push(Arc::new(Branch { pages }));
        }
        Self { head: Some(Arc::new(head)), branches, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether one is a copy of the other, and nothing was changed since. Equal ones may differ.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        let is_head_shared = match (&self.head, &other.head) {
            (Some(own), Some(others)) => Arc::ptr_eq(own, others),
            (own, others) => own.is_none() && others.is_none(),
        };
        let mut branches = self.branches.iter().zip(&other.branches);
        is_head_shared
            && self.branches.len() == other.branches.len()
            && branches.all(|(own, others)| Arc::ptr_eq(own, others))
    }

    /// Whether the head is all there is.
    pub fn is_head_only(&self) -> bool {
        self.branches.is_empty()
    }

    pub fn head(&self) -> &[(K, V)] {
        self.head.as_ref().map_or(&[], |head| head)
    }

    /// Copies the head, if it is shared.
    fn head_mut(&mut self) -> &mut Vec<(K, V)> {
        Arc::make_mut(self.head.get_or_insert_default())
    }

    /// By key.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.head().iter().chain(self.pages().flat_map(entries_of as fn(_) -> _))
    }

    fn pages(&self) -> PagesOf<'_, K, V> {
        self.branches.iter().flat_map(pages_of as fn(_) -> _)
    }

    /// From `low` to `high`, both included.
    pub fn range(&self, low: K, high: K) -> impl DoubleEndedIterator<Item = &(K, V)> {
        let branches = match self.branches.is_empty() {
            true => &self.branches[..],
            false => {
                let from = self.branches.partition_point(|b| b.first() <= low).saturating_sub(1);
                let to = self.branches.partition_point(|b| b.first() <= high);
                &self.branches[from.min(to)..to]
            }
        };
        let in_pages = branches.iter().flat_map(move |branch| {
            let from = branch.pages.partition_point(|p| p.first <= low).saturating_sub(1);
            let to = branch.pages.partition_point(|p| p.first <= high);
            branch.pages[from.min(to)..to].iter().flat_map(move |p| within(&p.entries, low, high))
        });
        within(self.head(), low, high).iter().chain(in_pages)
    }

    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        let entries = match self.place(key) {
            Place::Head => self.head(),
            Place::Page { branch, page } => &self.branches[branch].pages[page].entries,
        };
        let at = find(entries, key).ok()?;
        Some(&entries[at].1)
    }

    /// Copies the page, if it is shared and has the key.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        match self.place(key) {
            Place::Head => {
                let at = find(self.head(), key).ok()?;
                Some(&mut self.head_mut()[at].1)
            }
            Place::Page { branch, page } => {
                let at = find(&self.branches[branch].pages[page].entries, key).ok()?;
                let page = &mut Arc::make_mut(&mut self.branches[branch]).pages[page];
                Some(&mut Arc::make_mut(page).entries[at].1)
            }
        }
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (branch, page, entries) = match self.place(key) {
            Place::Head => (0, 0, Arc::make_mut(self.head.get_or_insert_default())),
            Place::Page { branch, page } => {
                let found = &mut Arc::make_mut(&mut self.branches[branch]).pages[page];
                (branch, page + 1, &mut Arc::make_mut(found).entries)
            }
        };
        let at = match find(entries, key) {
            Ok(at) => return Some(std::mem::replace(&mut entries[at].1, value)),
            Err(at) => at,
        };
        self.len += 1;
        if entries.len() < MAX {
            entries.insert(at, (key, value));
        } else {
            let behind = split(entries, at, key, value);
            self.add_page(branch, page, behind);
        }
        None
    }

    /// A page that is empty then goes with it.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let removed = match self.place(key) {
            Place::Head => {
                let at = find(self.head(), key).ok()?;
                self.head_mut().remove(at).1
            }
            Place::Page { branch, page } => {
                let at = find(&self.branches[branch].pages[page].entries, key).ok()?;
                let pages = &mut Arc::make_mut(&mut self.branches[branch]).pages;
                let entries = &mut Arc::make_mut(&mut pages[page]).entries;
                let removed = entries.remove(at).1;
                if entries.is_empty() {
                    pages.remove(page);
                }
                if pages.is_empty() {
                    self.branches.remove(branch);
                }
                removed
            }
        };
        self.len -= 1;
        Some(removed)
    }

    /// The pages besides the head that differ from those of `before`, at the cost of what differs.
    pub fn changed<'a>(&'a self, before: &'a Self) -> Vec<Changed<'a, K, V>> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let (mut at_old, mut at_new) = (0, 0);
        loop {
            match (before.branches.get(at_old), self.branches.get(at_new)) {
                (None, None) => break,
                (Some(was), Some(is)) if Arc::ptr_eq(was, is) => {
                    at_old += 1;
                    at_new += 1;
                }
                (Some(was), is) if is.is_none_or(|is| was.first() <= is.first()) => {
                    old.extend(&was.pages);
                    at_old += 1;
                }
                (_, Some(is)) => {
                    new.extend(&is.pages);
                    at_new += 1;
                }
                (Some(_), None) => unreachable!("the arm before takes what has no counterpart"),
            }
        }
        compare(&old, &new)
    }

    /// All pages besides the head.
    pub fn stored(&self) -> impl Iterator<Item = &Page<K, V>> {
        self.pages().map(|page| &**page)
    }

    #[inline]
    fn place(&self, key: K) -> Place {
        if self.branches.is_empty() {
            return Place::Head;
        }
        self.place_in_branches(key)
    }

    fn place_in_branches(&self, key: K) -> Place {
        let branch = self.branches.partition_point(|branch| branch.first() <= key);
        let Some(branch) = branch.checked_sub(1) else { return Place::Head };
        let pages = &self.branches[branch].pages;
        Place::Page { branch, page: pages.partition_point(|page| page.first <= key) - 1 }
    }

    fn add_page(&mut self, branch: usize, at: usize, page: Page<K, V>) {
        if self.branches.is_empty() {
            self.branches.push(Arc::new(Branch { pages: vec![Arc::new(page)] }));
            return;
        }
        let pages = &mut Arc::make_mut(&mut self.branches[branch]).pages;
        pages.insert(at, Arc::new(page));
        if pages.len() > BRANCH_PAGES_MAX {
            // Keys grow, so the branch in front stays as full as it is.
            let keep = if at + 1 == pages.len() { BRANCH_PAGES_MAX } else { pages.len() / 2 };
            let pages = pages.split_off(keep);
            self.branches.insert(branch + 1, Arc::new(Branch { pages }));
        }
    }
}

impl<K: Copy, V> Branch<K, V> {
    fn first(&self) -> K {
        self.pages[0].first
    }
}

#[inline]
fn find<K: Copy + Ord, V>(entries: &[(K, V)], key: K) -> Result<usize, usize> {
    // The youngest is asked for most.
    let Some(((last, _), before)) = entries.split_last() else { return Err(0) };
    match last.cmp(&key) {
        Ordering::Less => Err(entries.len()),
        Ordering::Equal => Ok(before.len()),
        Ordering::Greater => before.binary_search_by(|(of, _)| of.cmp(&key)),
    }
}

fn within<K: Copy + Ord, V>(entries: &[(K, V)], low: K, high: K) -> &[(K, V)] {
    let from = entries.partition_point(|(key, _)| *key < low);
    let to = entries.partition_point(|(key, _)| *key <= high);
    &entries[from.min(to)..to]
}

/// Puts a new entry into a full page; the answer is the page behind it.
fn split<K: Copy, V>(entries: &mut Vec<(K, V)>, at: usize, key: K, value: V) -> Page<K, V> {
    if at == entries.len() {
        return Page { first: key, entries: vec![(key, value)] };
    }
    let mut behind = entries.split_off(entries.len() / 2);
    match at.checked_sub(entries.len()) {
        Some(at) if at > 0 => behind.insert(at, (key, value)),
        _ => entries.insert(at, (key, value)),
    }
    let (first, _) = behind[0];
    Page { first, entries: behind }
}

fn compare<'a, K: Copy + Ord, V>(
    old: &[&'a Arc<Page<K, V>>],
    new: &[&'a Arc<Page<K, V>>],
) -> Vec<Changed<'a, K, V>> {
    let mut changed = Vec::new();
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        match (old.peek(), new.peek()) {
            (None, None) => return changed,
            (Some(was), Some(is)) if was.first == is.first => {
                if !Arc::ptr_eq(was, is) {
                    changed.push((Some(&***was), Some(&***is)));
                }
                old.next();
                new.next();
            }
            (Some(was), is) if is.is_none_or(|is| was.first < is.first) => {
                changed.push((Some(&***was), None));
                old.next();
            }
            (_, Some(is)) => {
                changed.push((None, Some(&***is)));
                new.next();
            }
            (Some(_), None) => unreachable!("the arm before takes what has no counterpart"),
        }
    }
}

/// How the entries lie in pages does not count.
impl<K: Copy + Ord, V: Clone + PartialEq, const MAX: usize> PartialEq for Pages<K, V, MAX> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<K: Copy + Ord, V: Clone, const MAX: usize> FromIterator<(K, V)> for Pages<K, V, MAX> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut pages = Self::default();
        for (key, value) in entries {
            pages.insert(key, value);
        }
        pages
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Small = Pages<i64, u32, 4>;

    fn firsts(pages: &Small) -> Vec<i64> {
        pages.stored().map(|page| page.first).collect()
    }

    #[test]
    fn growing_keys_fill_one_page_after_the_other() {
        let pages: Small = (0..14).map(|n| (n, 0)).collect();
        assert_eq!(pages.head().len(), 4);
        assert_eq!(firsts(&pages), [4, 8, 12]);
        assert!(!pages.is_head_only());
    }

    #[test]
    fn a_copy_shares_all_but_what_was_changed() {
        let before: Small = (0..1_000).map(|n| (n, 0)).collect();
        let mut after = before.clone();
        *after.get_mut(500).unwrap() = 7;
        after.remove(3);
        let changed = after.changed(&before);
        assert_eq!(changed.len(), 1, "the head is looked at apart");
        let (Some(was), Some(is)) = changed[0] else { panic!("it was and is there") };
        assert_eq!((was.first, is.first), (500, 500));
        assert_eq!(is.entries[0], (500, 7));
        assert_eq!(before.get(500), Some(&0));
    }

    #[test]
    fn an_empty_page_is_gone() {
        let before: Small = (0..12).map(|n| (n, 0)).collect();
        let mut after = before.clone();
        for key in 4..8 {
            after.remove(key);
        }
        let changed = after.changed(&before);
        assert!(matches!(changed[..], [(Some(Page { first: 4, .. }), None)]));
        after.insert(6, 1);
        assert_eq!(firsts(&after), [6, 8], "the head is full");
        after.remove(3);
        after.insert(5, 1);
        assert_eq!(firsts(&after), [6, 8], "keys before the first page belong to the head");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn it_is_a_sorted_map(steps in prop::collection::vec((0i64..300, any::<bool>()), 1..900)) {
            let (mut pages, mut map) = (Small::default(), BTreeMap::new());
            let mut before = pages.clone();
            for (n, (key, is_insert)) in steps.into_iter().enumerate() {
                let value = n as u32;
                match is_insert {
                    true => prop_assert_eq!(pages.insert(key, value), map.insert(key, value)),
                    false => prop_assert_eq!(pages.remove(key), map.remove(&key)),
                }
                if n % 50 == 0 {
                    prop_assert_eq!(replayed(&before, &pages), stored(&pages));
                    before = pages.clone();
                }
            }
            prop_assert!(pages.iter().map(|(k, v)| (*k, *v)).eq(map.clone()));
            prop_assert_eq!(pages.len(), map.len());
            for (low, high) in [(0, 300), (10, 20), (20, 10), (77, 77), (250, 400)] {
                let range: Vec<_> = pages.range(low, high).map(|(k, v)| (*k, *v)).collect();
                let expected: Vec<_> =
                    map.iter().filter(|(k, _)| (low..=high).contains(*k)).map(|(k, v)| (*k, *v)).collect();
                prop_assert_eq!(range, expected);
            }
            let head = pages.head().to_vec();
            let again = Small::from_parts(head, pages.stored().cloned().collect());
            prop_assert_eq!(&again, &pages);
            prop_assert_eq!(stored(&again), stored(&pages));
        }
    }

    fn stored(pages: &Small) -> BTreeMap<i64, Vec<(i64, u32)>> {
        pages.stored().map(|page| (page.first, page.entries.clone())).collect()
    }

    /// The rows of `before` after the changes that lead to `after`.
    fn replayed(before: &Small, after: &Small) -> BTreeMap<i64, Vec<(i64, u32)>> {
        let mut rows = stored(before);
        for (was, is) in after.changed(before) {
            if let Some(was) = was {
                rows.remove(&was.first);
            }
            if let Some(is) = is {
                rows.insert(is.first, is.entries.clone());
            }
        }
        rows
    }
}
