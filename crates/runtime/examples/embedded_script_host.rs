//! What an application that embeds the engine starts to run JavaScript in: a program that serves
//! scripts on its standard input and output, without any right to do more.

fn main() -> std::io::Result<()> {
    orloj::script::host::run(std::io::stdin().lock(), std::io::stdout().lock())
}
