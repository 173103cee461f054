import { Argument, type Command } from 'commander';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** What may follow the words of a command: its commands, or its options. */
type Words = ReadonlyMap<string, readonly string[]>;

/** `loadAll` adds all commands, since a completion names every one. */
export const addCompletion =
  (loadAll: () => Promise<void>) =>
  (program: Command): void => {
    program
      .command('completion')
      .description(
        'print a script that completes commands and options; for bash: source <(npx roomwire completion bash)',
      )
      .addArgument(new Argument('<shell>').choices(shells))
      .action(async (shell: Shell) => {
        await loadAll();
        process.stdout.write(scripts[shell](wordsOf(program)));
      });
  };

const wordsOf = (command: Command, path: readonly string[] = []): Words => {
  const options = command.options.flatMap(({ long }) => (long ? [long] : []));
  const names = command.commands.map((each) => each.name());
  const words = new Map<string, readonly string[]>([[path.join(' '), [...names, ...options, '--help']]]);
  for (const each of command.commands)
    for (const [key, value] of wordsOf(each, [...path, each.name()])) words.set(key, value);
  return words;
};

/** Words that begin with a dash are options; whatever else was typed is the path of the command, as far as it is one. */
const bash = (words: Words): string => `# bash completion of roomwire
_roomwire() {
  local path="" word candidates
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    _roomwire_words "\${path:+$path }$word" >/dev/null && path="\${path:+$path }$word"
  done
  candidates=$(_roomwire_words "$path")
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
_roomwire_words() {
  case "$1" in
${[...words].map(([path, each]) => `    ${JSON.stringify(path)}) echo "${each.join(' ')}" ;;`).join('\n')}
    *) return 1 ;;
  esac
}
complete -o default -F _roomwire roomwire
`;

const zsh = (words: Words): string => `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;

const fish = (words: Words): string => {
  const lines = [...words].flatMap(([path, each]) =>
    each.map((word) => {
      const condition = path === '' ? '__fish_use_subcommand' : `__roomwire_at ${path}`;
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c roomwire -n '${condition}' ${what}`;
    }),
  );
  return `# fish completion of roomwire
function __roomwire_at
  set -l words (string match -v -- '-*' (commandline -opc))[2..-1]
  test "$words[1..(count $argv)]" = "$argv"
end
${lines.join('\n')}
`;
};

const scripts: Readonly<Record<Shell, (words: Words) => string>> = { bash, zsh, fish };
