#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    orloj_fuzz::bpmn::check(input);
});
