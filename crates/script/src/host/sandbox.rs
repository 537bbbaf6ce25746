//! Gives up the rights of the process. Without a sandbox no script runs.

use std::io;

#[cfg(target_os = "linux")]
pub(super) fn enter() -> io::Result<()> {
    linux::limit()?;
    linux::filter()
}

/// Only the engine's own limits hold here; the pool still kills at the deadline.
#[cfg(not(target_os = "linux"))]
pub(super) fn enter() -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::io;

    use rustix::process::{Resource, Rlimit, setrlimit};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    /// Addresses, not memory: the program itself and its allocator reserve far more than they use.
    const ADDRESS_BYTES_MAX: u64 = 4 << 30;
    /// Ends children whose parent died while a script ignored every other limit.
    const CPU_SECONDS_MAX: u64 = 600;

    pub(super) fn limit() -> io::Result<()> {
        let limits = [
            (Resource::As, ADDRESS_BYTES_MAX),
            (Resource::Cpu, CPU_SECONDS_MAX),
            (Resource::Nofile, 0),
            (Resource::Nproc, 0),
            (Resource::Fsize, 0),
            (Resource::Core, 0),
        ];
        for (resource, most) in limits {
            setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
        }
        rustix::thread::set_no_new_privs(true)?;
        Ok(())
    }

    pub(super) fn filter() -> io::Result<()> {
        let program = program().map_err(|error| io::Error::other(error.to_string()))?;
        seccompiler::apply_filter(&program).map_err(|error| io::Error::other(error.to_string()))
    }

    /// Anything that is not listed fails with "not permitted": an allocator or a library that asks
    /// for something harmless and goes on without it must not take the child down.
    fn program() -> Result<BpfProgram, seccompiler::BackendError> {
        let on_descriptor = |number: u64| {
            let is_it =
                SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, number)?;
            SeccompRule::new(vec![is_it])
        };
        // Memory that can be written is never run.
        let not_executable = |argument: u8| {
            let executable = u64::try_from(libc::PROT_EXEC).unwrap_or(4);
            let flag = SeccompCmpOp::MaskedEq(executable);
            SeccompRule::new(vec![SeccompCondition::new(
                argument,
                SeccompCmpArgLen::Dword,
                flag,
                0,
            )?])
        };
        let mut rules = BTreeMap::from([
            (libc::SYS_read, vec![on_descriptor(0)?]),
            (libc::SYS_write, vec![on_descriptor(1)?, on_descriptor(2)?]),
            (libc::SYS_mmap, vec![not_executable(2)?]),
            (libc::SYS_mprotect, vec![not_executable(2)?]),
        ]);
        for free in [
            libc::SYS_munmap,
            libc::SYS_mremap,
            libc::SYS_madvise,
            libc::SYS_brk,
            libc::SYS_futex,
            libc::SYS_clock_gettime,
            libc::SYS_gettimeofday,
            libc::SYS_getrandom,
            libc::SYS_sched_yield,
            libc::SYS_sigaltstack,
            libc::SYS_rt_sigreturn,
            libc::SYS_rt_sigprocmask,
            libc::SYS_restart_syscall,
            libc::SYS_exit,
            libc::SYS_exit_group,
        ] {
            rules.insert(free, Vec::new());
        }
        SeccompFilter::new(
            rules,
            SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1)),
            SeccompAction::Allow,
            std::env::consts::ARCH.try_into()?,
        )?
        .try_into()
    }
}
