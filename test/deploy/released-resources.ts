/**
 * The resources of our own stages, compared with those of the last release by their logical ids. A resource with another id is
 * another resource: CloudFormation deletes the one, with what is in it, and makes the other.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Checkout } from './checkout.ts';
import type { Ground } from './ground.ts';

/** The stages with settings that both releases know. */
const stages: Readonly<Record<string, readonly string[]>> = {
  local: [],
  dev: [],
  production: [
    'smsOriginationIdentity=pool-0123456789abcdef0123456789abcdef',
    'whatsappPhoneNumberId=phone-number-id-0123456789abcdef0123456789abcdef',
    'alarmEmail=on-call@example.com',
    'allowedCountries=["GB"]',
    'prices={"currency":"USD","sms":{"GB":0.04},"whatsapp":{"GB":0.03}}',
  ],
};

const holdingData = ['DynamoDB::Table', 'KMS::Key', 'SecretsManager::Secret', 'Logs::LogGroup'].concat([
  'SQS::Queue',
  'SNS::Topic',
]);
/** Each change of the code or the API makes these anew. */
const replacedByDeploys = ['ApiGateway::Deployment', 'Lambda::Version'];

/** The type of each resource, without `AWS::`, by its logical id. */
type Resources = ReadonlyMap<string, string>;

export async function compareResources({ report }: Ground, released: Checkout, now: Checkout): Promise<void> {
  const changes = new Map<string, string[]>();
  for (const [index, stage] of Object.keys(stages).entries()) {
    const [before, after] = [await resourcesOf(released, stage), await resourcesOf(now, stage)];
    const held = [...before].filter(([, type]) => holdingData.includes(type));
    const lost = held.filter(([id, type]) => after.get(id) !== type);
    report.show(
      held.length > 0 && lost.length === 0,
      `${stage}: the ${held.length} resources that hold data keep their logical ids`,
      lost.map(([id]) => id).join(),
    );
    const gone = missingIn(after, before);
    const added = missingIn(before, after);
    for (const type of new Set([...gone, ...added])) {
      const [minus, plus] = [gone, added].map((types) => types.filter((each) => each === type).length);
      const cells = changes.get(type) ?? Object.keys(stages).map(() => '');
      cells[index] = [minus && `−${minus}`, plus && `+${plus}`].filter(Boolean).join(' ');
      changes.set(type, cells);
    }
  }
  const rows = [...changes].map(([type, cells]) => `  | \`${type}\` | ${cells.join(' | ')} |`).toSorted();
  const changelog = await readFile(join(import.meta.dirname, '..', '..', 'CHANGELOG.md'), 'utf8');
  const listed = changelog.match(/^ {2}\| `\w+::\w+` \|.*$/gm) ?? [];
  report.show(
    rows.join('\n') === listed.join('\n'),
    `CHANGELOG.md lists the ${rows.length} types of which there are more or fewer`,
    `\n${rows.join('\n')}`,
  );
}

/** The types of the resources that these have, and others have not. */
function missingIn(others: Resources, these: Resources): string[] {
  return [...these]
    .filter(([id, type]) => others.get(id) !== type && !replacedByDeploys.includes(type))
    .map(([, type]) => type);
}

async function resourcesOf({ folder }: Checkout, stage: string): Promise<Resources> {
  const output = await mkdtemp(join(tmpdir(), 'messaging-gateway-resources-'));
  try {
    const settings = [`stage=${stage}`, ...(stages[stage] ?? [])].flatMap((setting) => ['-c', setting]);
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: output, CI: 'true' };
    await promisify(execFile)('npx', ['cdk', 'synth', '--quiet', '--output', output, ...settings], {
      cwd: folder,
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    const file = join(output, `messaging-gateway-${stage}.template.json`);
    const { Resources } = JSON.parse(await readFile(file, 'utf8')) as {
      readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
    };
    return new Map(Object.entries(Resources).map(([id, { Type }]) => [id, Type.replace(/^AWS::/, '')]));
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}
