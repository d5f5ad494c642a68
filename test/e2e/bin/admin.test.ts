import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type AdminShell, adminShell } from '../../support/admin/admin-shell.ts';
import { freshNumber } from '../../support/carrier/outbox.ts';
import { documentClient, gateway } from '../../support/gateway/gateway.ts';

let shell: AdminShell;
const run: AdminShell['run'] = (...words) => shell.run(...words);
const json: AdminShell['json'] = (...words) => shell.json(...words);

beforeAll(() => {
  shell = adminShell();
});
afterAll(() => shell.close());

const set = ['call', 'setLimits', '*', '--endpoint'];

describe('npm run admin', () => {
  it('makes a client, disables and enables it, and shows its secret once', async () => {
    const created = await json('call', 'createClient', '--name', 'Shell shop');
    expect(created).toMatchObject({ name: 'Shell shop', scopes: ['messages'], disabled: false });
    expect(created.client_secret).toMatch(/^cs_/);
    const id = String(created.client_id);
    for (const disabled of [true, false]) {
      await json('call', 'changeClient', id, '--disabled', String(disabled));
      expect(await json('call', 'showClient', id)).toMatchObject({ disabled });
    }
    const { clients } = await json('call', 'listClients', '--all');
    expect(clients).toContainEqual(expect.objectContaining({ client_id: id }));
    expect(JSON.stringify(clients)).not.toMatch(/cs_|[0-9a-f]{64}/);
  });

  it('sets some limits without touching the others, lists and removes them', async () => {
    const { client_id } = await json('call', 'createClient', '--name', 'Limits');
    const id = String(client_id);
    const set = (...options: string[]) => json('call', 'setLimits', id, '--endpoint', ...options);
    await set('sms_send', '--per-minute', '300');
    expect(await set('POST /api/v1/sms/send', '--per-day', '50000')).toMatchObject({
      override: { per_minute: 300, per_day: 50_000 },
      in_force: { per_hour: 1000 },
      warnings: ['50,000 per day are never reached: the limit of 1,000 per hour allows only 24,000 per day.'],
    });
    const back = await set('sms_send', '--per-minute', 'null');
    expect([back.override, back.in_force]).toMatchObject([{ per_day: 50_000 }, { per_minute: 60 }]);
    expect(back.override).not.toHaveProperty('per_minute');
    expect(await set('sms_send', '--mode', 'observe')).toMatchObject({
      mode: 'observe',
      in_force: { per_day: 10_000 },
    });
    await set('sms_send', '--mode', 'enforce');
    const listed = async () => JSON.stringify(await json('call', 'listOverrides', '--all'));
    expect(await listed()).toContain(id);
    const dynamo = documentClient();
    const Item = { client_id: id, endpoint: 'POST /api/v1/sms/send', per_mintue: 5, per_hour: 9 };
    await dynamo.send(new PutCommand({ TableName: gateway().tables.limit_overrides, Item }));
    dynamo.destroy();
    expect(await set('sms_send', '--per-day', '90')).toMatchObject({ status: 'invalid' });
    expect(await set('sms_send', '--remove', 'per_mintue')).toMatchObject({
      ...{ status: 'active', override: { per_hour: 9, per_day: 90 }, faults: [] },
    });
    await json('call', 'removeLimits', id, '--endpoint', 'sms_send');
    expect(await listed()).not.toContain(id);
  });

  it('finds a client by a part of its name, in words without quotes, and ends with 1 where nothing is found', async () => {
    const { client_id } = await json('call', 'createClient', '--name', 'Wholly unlike the others');
    expect(await json('find', 'unlike', 'the')).toEqual({
      results: [
        {
          kind: 'client',
          id: client_id,
          title: 'Wholly unlike the others',
          client_id,
          href: `#/clients/${client_id}`,
        },
      ],
      more_clients: false,
      messages: [],
    });
    // Of nobody, in the national form.
    const number = freshNumber().replace('+44', '0');
    const nothing = await run('find', number);
    expect([nothing.status, nothing.stdout]).toEqual([1, `Nothing was found for ${number}\n`]);
  });

  it('shows the problems of a client, by its name, and ends with 1 if there is one', async () => {
    const { client_id } = await json('call', 'createClient', '--name', 'Patient');
    const healthy = await run('doctor', 'Patient');
    expect([healthy.status, healthy.stderr]).toEqual([0, '']);
    expect(healthy.stdout).toContain('Nothing is wrong.');
    await json('call', 'changeClient', String(client_id), '--disabled', 'true');
    const disabled = await run('doctor', 'patient', '--json');
    expect([disabled.status, disabled.stderr]).toEqual([1, '1 problem\n']);
    expect(JSON.parse(disabled.stdout)).toMatchObject({
      client_id,
      findings: [
        {
          severity: 'problem',
          about: 'client',
          next_step: `call changeClient ${client_id} --disabled false`,
        },
      ],
    });
  });

  // Standard error has only what the command says: the SDK once wrote a warning about a queue's address there.
  it.each<[string, readonly string[], number, RegExp, RegExp]>([
    ['what was done', ['call', 'showAbout', '--json'], 0, /^\{"version":.*\}\n$/, /^$/],
    [
      'what failed',
      ['call', 'showClient', 'client_nobody'],
      1,
      /^$/,
      /^There is no client client_nobody\.\n$/,
    ],
    ['invalid arguments', ['call', 'destroy'], 2, /^$/, /unknown command 'destroy'/],
    ['help with examples', ['--help'], 0, /npm run admin -- call createClient/, /^$/],
  ])('as a program prints %s, and its exit status tells', async (_what, words, status, stdout, stderr) => {
    const ended = await shell.runProgram(...words);
    expect(ended.status).toBe(status);
    expect(ended.stdout).toMatch(stdout);
    expect(ended.stderr).toMatch(stderr);
  });

  it.each([
    ['what is not there', ['call', 'showClient', 'client_nobody'], 1, 'There is no client client_nobody.'],
    ['a missing name', ['call', 'createClient'], 2, 'name: This field is required.'],
    [
      'fields that are no object',
      ['call', 'createClient', '--fields', '5'],
      2,
      '--fields is not a JSON object.',
    ],
    ['a limit of zero', [...set, 'sms_send', '--per-minute', '0'], 2, 'per_minute: '],
    [
      'a webhook URL of no use',
      ['call', 'createClient', '--name', 'x', '--webhook-url', 'ftp://x'],
      2,
      'webhook_url',
    ],
    ['a name of nothing', ['call', 'createClient', '--name', ' '], 2, 'name: '],
    ['a limit beyond all limits', [...set, 'sms_send', '--per-day', '2000000000'], 2, 'per_day: '],
    ['a limit that is a word', [...set, 'sms_send', '--per-day', 'many'], 2, 'per_day: '],
    [
      'a misspelled endpoint',
      [...set, 'sms_sned', '--per-day', '1000'],
      2,
      'Did you mean sms_send?\n  endpoint: must be one of ',
    ],
    ['the limits of nobody', ['call', 'showLimits', 'client_nobody'], 1, 'There is no client client_nobody.'],
    ['a country that is none', ['call', 'changeClient', '*', '--countries', 'GB,Gaul'], 2, 'countries[1]'],
    ['a stage that is not there', ['--stage', 'moon', 'call', 'listClients'], 1, 'No gateway of stage moon'],
  ])('says on standard error what is wrong with %s', async (_what, words, status, message) => {
    const ended = await run(...words);
    expect([ended.status, ended.stdout]).toEqual([status, '']);
    expect(ended.stderr).toContain(message);
    const lines = ended.stderr.split('\n').map((line) => line.trim().replace(/\.$/, ''));
    expect(lines.filter((line, at) => line !== '' && lines.indexOf(line) !== at)).toEqual([]);
  });

  it('says what to do where no gateway runs, and where one was killed', async () => {
    const running = gateway();
    const killed = join(shell.folder, 'killed.json');
    const aws = { ...running.aws, endpoint: 'http://127.0.0.1:1' };
    await writeFile(killed, JSON.stringify({ ...running, aws }));
    for (const file of [join(shell.folder, 'none.json'), killed]) {
      const { status, stderr } = await run('--gateway', file, 'call', 'listClients');
      expect([status, stderr]).toEqual([
        1,
        'No gateway runs here: start one with npm start, or name a deployed one by --stage or --stack-name.\n',
      ]);
    }
  });

  it('does not take a gateway that responds too late for one that does not run', async () => {
    const late = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
    const { status, stderr } = await run('call', 'listClients');
    late.mockRestore();
    expect([status, stderr]).toEqual([1, 'The gateway on this machine did not respond within 20 seconds.\n']);
  });

  it('quotes nothing of a file that does not describe a gateway', async () => {
    const file = join(shell.folder, 'other.txt');
    await writeFile(file, 'root:x:0:0');
    const { status, stderr } = await run('--gateway', file, 'call', 'listClients');
    expect([status, stderr]).toEqual([1, `${file} does not describe a gateway.\n`]);
  });

  it('ends without an error when the reader of its output ends first, and with one line when the disk is full', () => {
    const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'admin.ts');
    const helpTo = (where: string) =>
      spawnSync('bash', ['-o', 'pipefail', '-c', `"$0" "$1" --help ${where}`, process.execPath, program], {
        encoding: 'utf8',
      });
    expect(helpTo('| true')).toMatchObject({ status: 0, stderr: '' });
    const { status, stderr } = helpTo('> /dev/full');
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^The output cannot be written: ENOSPC.*\n$/),
    ]);
  });
});
