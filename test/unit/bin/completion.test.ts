/** What a shell completes, by the script of `completion bash` in a real bash. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { addCompletionCommand, completionScript } from '../../../bin/admin/completion-command.ts';
import { runCommand } from '../../../bin/admin/program.ts';

const call = ['npm', '--prefix', "/home/o'hara/gateway", 'run', '--silent', 'admin', '--'];

const program = new Command().option('--stage <name>', 'a stage').option('--json', "what's asked, as JSON");
const clients = program.command('clients').description("the clients' secrets");
clients.command('create').option('--name <name>', 'its name').option('--admin', 'an administrator');
clients.command('list');
const limits = program.command('limits');
limits.command('set').argument('<client>').argument('<endpoint>').option('--client <client>', 'x');
program.command('find').argument('<anything...>');
program.command('import').argument('<client>').argument('<file>');
addCompletionCommand(program, () => undefined, call);

/** The words that bash offers at the end of a line. */
function offered(...line: string[]): string[] {
  const words = ['messaging-gateway-admin', ...line].map((word) => `'${word}'`).join(' ');
  const ask = `messaging-gateway-admin() { echo "$*" >&2; printf '%s\\n' 'Web shop' client_1 '$(echo hacked)'; }
${completionScript('bash', program, call)}
COMP_WORDS=(${words}) COMP_CWORD=${line.length}
_messaging_gateway_admin
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean);
}

describe('completion in bash', () => {
  it('offers the commands and the options of the program', () => {
    expect(offered('')).toEqual([
      'clients',
      'limits',
      'find',
      'import',
      'completion',
      '--stage',
      '--json',
      '--help',
    ]);
    expect(offered('cl')).toEqual(['clients']);
  });

  it('offers the subcommands of a command, and its options with those of the program', () => {
    expect(offered('clients', '')).toEqual(expect.arrayContaining(['create', 'list', '--json']));
    expect(offered('clients', 'create', '--')).toEqual(['--name', '--admin', '--help', '--stage', '--json']);
    expect(offered('--stage', 'production', 'clients', 'li')).toEqual(['list']);
    expect(offered('find', 'create', 'cr')).toEqual([]);
  });

  it('offers the words that an argument can be', () => {
    expect(offered('completion', 'z')).toEqual(['zsh']);
    expect(offered('limits', 'set', 'x', 'sms_')).toEqual(['sms_send', 'sms_bulk', 'sms_status']);
    expect(offered('limits', 'set', 'x', 'spe')).toEqual(['spend']);
  });

  it('offers clients by name and id, as arguments and as values of --client, and runs nothing that a name says', () => {
    expect(offered('limits', 'set', 'W')).toEqual([String.raw`Web\ shop`]);
    expect(offered('--stage', 'x', 'limits', 'set', 'client')).toEqual(['client_1']);
    expect(offered('limits', 'set', '--client', '')).toEqual([
      String.raw`Web\ shop`,
      'client_1',
      String.raw`\$\(echo\ hacked\)`,
    ]);
    expect(offered('limits', 'set', '--c')).toEqual(['--client']);
  });

  it('leaves files, and the values of options, to the shell', () => {
    expect(offered('import', 'client_2', '')).toEqual([]);
    expect(offered('import', 'client_1', '--j')).toEqual(['--json']);
    expect(offered('clients', '--stage', '')).toEqual([]);
    expect(offered('clients', 'create', '--name', 'x', '--a')).toEqual(['--admin']);
  });

  /** The words of the command that the script defines, each in a line, where `name` is called by it. */
  const calledBy = (script: string, name: string): string[] =>
    execFileSync(
      'bash',
      ['-c', `${script}\n${name}() { printf '%s\\n' "$@"; }\nmessaging-gateway-admin find 'a b'`],
      { encoding: 'utf8' },
    )
      .trimEnd()
      .split('\n');

  it('defines the command, for the folder of the program', () => {
    const [npm = '', ...words] = call;
    expect(calledBy(completionScript('bash', program, call), npm)).toEqual([...words, 'find', 'a b']);
  });

  it.each(['bash', 'zsh', 'fish'])(
    'calls the file of the package, which has no npm script: %s',
    async (shell) => {
      const file = '/app/node modules/admin.mjs';
      let script = '';
      const out = (text: string): void => {
        script += text;
      };
      const packaged = { command: 'npx messaging-gateway-admin', file };
      expect(await runCommand(['completion', shell], { out, err: out, packaged })).toBe(0);
      expect(script).not.toContain('npm');
      expect(script).toContain(`'node' '${file}'`);
      if (shell === 'bash') expect(calledBy(script, 'node')).toEqual([file, 'find', 'a b']);
    },
  );
});

describe('completion in other shells', () => {
  it('has every command and option for fish, with descriptions', () => {
    const script = completionScript('fish', program, call);
    expect(script).toContain(
      `complete -c messaging-gateway-admin -n '__messaging_gateway_admin_at "clients"' -a create -d ''`,
    );
    expect(script).toContain(
      `complete -c messaging-gateway-admin -n '__messaging_gateway_admin_at "clients create"' -l admin -d 'an administrator'`,
    );
    expect(script).toContain("-l json -d 'what\\'s asked, as JSON'");
  });

  it("is bash's script for zsh, which reads it after bashcompinit", () => {
    const script = completionScript('zsh', program, call);
    expect(script.endsWith(completionScript('bash', program, call))).toBe(true);
    expect(script).toMatch(/^autoload .*bashcompinit$/m);
  });
});
