/**
 * `completion SHELL`: prints a script that completes commands, options, endpoints and clients, generated from the program
 * itself. Only clients are asked for, by a process that runs once a minute at most; all else is in the script, so
 * completing is immediate. It also defines the short command that it completes.
 */

import { Argument, type Command, type Option } from 'commander';
import { listClientNames } from '../../shared/admin/find-client.ts';
import { capNames, limitPolicies } from '../../shared/contract/rate-limits-and-caps.ts';
import type { AdminCommand } from './command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** The short name of the program, the same as in package.json's `bin`. */
const shortName = 'messaging-gateway-admin';

/** @param call - the words by which a shell calls this program from any folder */
export function addCompletionCommand(
  program: Command,
  print: (text: string) => void,
  call: readonly string[],
): void {
  program
    .command('completion')
    .description(`prints a script that completes ${shortName} in a shell`)
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      `
Examples:
  $ eval "$(npm run --silent admin -- completion bash)"        in ~/.bashrc, or with zsh in ~/.zshrc
  $ npm run --silent admin -- completion fish | source         in ~/.config/fish/config.fish

The script also defines ${shortName}, which runs this program from any folder.`,
    )
    .action((shell: Shell) => print(completionScript(shell, program, call)));
}

export function completionScript(shell: Shell, program: Command, call: readonly string[]): string {
  const levels = levelsOf(program);
  if (shell === 'fish') return fishScript(levels, call);
  const script = bashScript(levels, call);
  return shell === 'bash'
    ? script
    : `autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n${script}`;
}

/** The words that may follow a command: its subcommands, and its options with those of the program. */
interface Level {
  /** The command's words, such as `clients create`; empty for the program. */
  readonly path: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  /** The permitted words of its argument, if it is one of a few words. */
  readonly choices: readonly string[];
  /** Whether one of its arguments is a file. */
  readonly takesFile: boolean;
  /** Whether one of its arguments is a client. */
  readonly takesClient: boolean;
}

function levelsOf(program: Command): Level[] {
  const shared = program.createHelp().visibleOptions(program);
  const below = (command: Command, path: string): Level[] => {
    const help = command.createHelp();
    const commands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
    const options = [...help.visibleOptions(command), ...shared];
    const level: Level = {
      path,
      commands,
      options: [...new Map(options.map((option) => [flagOf(option), option])).values()],
      choices: command.registeredArguments.flatMap((argument) =>
        argument.name() === 'endpoint' ? [...limitPolicies, ...capNames] : (argument.argChoices ?? []),
      ),
      takesFile: command.registeredArguments.some((argument) => argument.name() === 'file'),
      takesClient: command.registeredArguments.some((argument) => argument.name() === 'client'),
    };
    return [
      level,
      ...commands.flatMap((child) => below(child, path === '' ? child.name() : `${path} ${child.name()}`)),
    ];
  };
  return below(program, '');
}

const flagOf = ({ long, short }: Option): string => long ?? short ?? '';

/** The paths of all commands, each in quotes. */
const pathsIn = (levels: readonly Level[], quote: (text: string) => string): string[] =>
  levels.filter(({ path }) => path !== '').map(({ path }) => quote(path));

function bashScript(levels: readonly Level[], call: readonly string[]): string {
  const words = ({ commands, choices, options }: Level): string =>
    [...commands.map((command) => command.name()), ...choices, ...options.map(flagOf)].join(' ');
  const valued = new Set(
    levels.flatMap(({ options }) => options.filter(({ required }) => required).map(flagOf)),
  );
  const pathsOf = (some: readonly Level[]): string =>
    some.length === 0 ? "'-'" : some.map(({ path }) => quoted(path)).join(' | ');
  const ofFiles = levels.filter(({ takesFile }) => takesFile);
  const ofClients = levels.filter(({ takesClient }) => takesClient);
  // A word without a completion completes to files, as the shell does by default.
  return `type ${shortName} >/dev/null 2>&1 || ${shortName}() { ${call.map(quoted).join(' ')} "$@"; }
_messaging_gateway_admin_clients() {
  local where='' line='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --stage | --stack-name | --gateway) where=\${COMP_WORDS[i]}=\${COMP_WORDS[i + 1]} ;;
    esac
  done
  if [[ -z $_messaging_gateway_clients_at || $where != "$_messaging_gateway_clients_where" ]] ||
    ((SECONDS - _messaging_gateway_clients_at >= 60)); then
    _messaging_gateway_clients=$(${shortName} \${where:+"$where"} ${clientNamesCommand} 2>/dev/null </dev/null)
    _messaging_gateway_clients_at=$SECONDS
    _messaging_gateway_clients_where=$where
  fi
  while IFS= read -r line; do
    [[ -n $line && $line == "$current"* ]] && COMPREPLY+=("$(printf %q "$line")")
  done <<<"$_messaging_gateway_clients"
}
_messaging_gateway_admin() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' word='' words='' i
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD - 1]} in
    --client) _messaging_gateway_admin_clients; return ;;
    ${[...valued].join(' | ')}) return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "\${path:+$path }$word" in
      ${pathsIn(levels, quoted).join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done
  case $path in
${levels.map((level) => `    ${quoted(level.path)}) words=${quoted(words(level))} ;;`).join('\n')}
  esac
  case $path in
    ${pathsOf(ofFiles)}) [[ $current == -* ]] || return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case $path in
    ${pathsOf(ofClients)}) [[ $current == -* ]] || _messaging_gateway_admin_clients ;;
  esac
}
complete -o default -F _messaging_gateway_admin ${shortName}`;
}

function fishScript(levels: readonly Level[], call: readonly string[]): string {
  const clientNames = `'(${shortName} ${clientNamesCommand} 2>/dev/null)'`;
  const lines = levels.flatMap(({ path, commands, choices, options, takesFile, takesClient }) => {
    const here = `complete -c ${shortName} -n '__messaging_gateway_admin_at "${path}"'`;
    return [
      ...commands.map((command) => `${here} -a ${command.name()} -d ${quotedForFish(command.description())}`),
      ...choices.map((choice) => `${here} -a ${choice}`),
      ...options.map(
        (option) =>
          `${here} -l ${flagOf(option).replace(/^--/, '')}${completedValue(option)} -d ${quotedForFish(option.description)}`,
      ),
      ...(takesClient ? [`${here} -a ${clientNames}`] : []),
      ...(takesFile ? [`${here} -F`] : []),
    ];
  });
  function completedValue(option: Option): string {
    if (!option.required) return '';
    return flagOf(option) === '--client' ? ` -r -a ${clientNames}` : ' -r -F';
  }
  return `type -q ${shortName}; or function ${shortName}; ${call.map(quotedForFish).join(' ')} $argv; end
function __messaging_gateway_admin_at
  set -l path
  for word in (commandline -opc)[2..]
    contains -- (string join -- ' ' $path $word) ${pathsIn(levels, quotedForFish).join(' ')}; and set -a path $word
  end
  test "$path" = "$argv"
end
complete -c ${shortName} -f
${lines.join('\n')}`;
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a text for fish, which knows the escapes of a quote and of a backslash in single quotes. */
function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const clientNamesCommand = 'client-names';

/** The hidden command that completion asks for clients: it prints the name and the id of each, one in a line. */
export function addClientNamesCommand(program: AdminCommand): void {
  program.command(clientNamesCommand, { hidden: true }).run(async ({ dependencies }) => {
    const { clients } = await listClientNames(dependencies);
    // A name of several lines would be offered as several.
    const words = clients.flatMap(({ client_id, name }) => [name.replaceAll(/\s+/g, ' '), client_id]);
    return { json: { clients }, text: () => words.join('\n') };
  });
}
