/** Every command that is given the id of a client, a message or a webhook says so where there is none: nothing is "empty". */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { addCallCommand } from '../../../bin/admin/call-command.ts';
import { AdminCommand, type CommandResult } from '../../../bin/admin/command.ts';
import { addDoctorCommand } from '../../../bin/admin/doctor-command.ts';
import { connect } from '../../../bin/admin/gateway-connection.ts';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { gateway } from '../../support/gateway/gateway.ts';

let shell: AdminShell;
let connection: string;
beforeAll(async () => {
  shell = adminShell();
  connection = join(shell.folder, 'walk.json');
  await writeFile(connection, JSON.stringify(gateway()));
});
afterAll(() => shell.close());

/** The commands of the program, each of whose answers is handed to `onAnswer`. */
function program(onResponse: (response: CommandResult) => void): Command {
  const execute: ConstructorParameters<typeof AdminCommand>[0] = async (work) => {
    const connected = await connect({ gateway: connection }, process.env);
    const nothing = () => undefined;
    const session = {
      ...connected,
      mode: 'live' as const,
      actor: 'a test',
      report: nothing,
      progress: nothing,
    };
    onResponse(await work(session));
  };
  const all = new AdminCommand(execute).exitOverride();
  addDoctorCommand(all);
  addCallCommand(all);
  return all;
}

const unknown: Readonly<Record<string, string>> = {
  client: 'client_nobody',
  'message-id': 'msg_00000000000000000000000000',
  'delivery-id': 'whd_00000000000000000000000000',
  'key-id': 'key_nobody',
};

/** Words that are valid, so that the id is what is not found. */
const others: Readonly<Record<string, string>> = {
  endpoint: 'sms_send',
  'endpoint-id': 'whe_00000000000000000000000000',
  'resend-id': 'rsd_00000000000000000000000000',
  recipient: '+447700900123',
  country: 'GB',
};

/** What else a command needs in order to be asked rightly. */
const more: Readonly<Record<string, readonly string[]>> = {
  'call setLimits': ['--endpoint', 'sms_send', '--per-minute', '5'],
  'call removeLimits': ['--endpoint', 'sms_send'],
  'call setSender': ['--country', 'GB', '--identity', 'ACME'],
  'call removeSender': ['--destination', 'sms GB'],
  'call changeClient': ['--countries', 'GB'],
  'call resendWebhookDeliveries': ['--since', '1h'],
};

function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(' '), command]];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

/** Each way to name something by its id: by the command's arguments, and by each option. */
function waysToAsk(): [string, readonly string[]][] {
  return leaves(program(() => undefined)).flatMap(([path, command]) => {
    const words = path.split(' ');
    const given = command.registeredArguments.map(
      (argument) => others[argument.name()] ?? unknown[argument.name().replace('...', '')] ?? '',
    );
    const byArguments = given.some((word) => Object.values(unknown).includes(word))
      ? [[...words, ...given.filter((word) => word !== ''), ...(given.length > 0 ? (more[path] ?? []) : [])]]
      : [];
    const byOptions = command.options
      .filter((option) => unknown[option.attributeName()] !== undefined)
      .map((option) => [
        ...words,
        ...given.filter((_word, at) => command.registeredArguments[at]?.required),
        `${option.long}`,
        unknown[option.attributeName()] ?? '',
        ...(more[path] ?? []),
      ]);
    return [...byArguments, ...byOptions].map((asked): [string, readonly string[]] => [
      asked.join(' '),
      asked,
    ]);
  });
}

it('there are such commands', () => {
  const asked = waysToAsk().map(([text]) => text);
  expect(asked).toContain('call listSenders --client client_nobody');
  expect(asked).toContain('call resendWebhookDeliveries client_nobody --since 1h');
  expect(asked.length).toBeGreaterThan(15);
});

it.each(waysToAsk())('%s', async (_text, words) => {
  const responses: CommandResult[] = [];
  const failure = await program((response) => responses.push(response))
    .parseAsync([...words], { from: 'user' })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (failure !== undefined && !(failure instanceof GatewayError)) throw failure;
  expect(failure?.message ?? responses[0]?.problem).toMatch(/There is no|has no |not held/);
  if (failure !== undefined) expect(failure).toMatchObject({ code: 'not_found' });
});
