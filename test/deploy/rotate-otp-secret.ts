/** Rotates the secret of one-time passwords by docs/rotate-and-restore.md: codes sent before and after it verify. */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { emulatorAccess } from '../../lib/local/emulator.ts';
import { deriveCode } from '../../shared/otp/otp-code.secrets.ts';
import { type Deployed, type Ground, stackName } from './ground.ts';
import { persistentFetch } from './traffic.ts';

interface SentCode {
  readonly otpId: string;
  readonly code: string;
}

const codeLength = 6;
const handedOverWithinMs = 240_000;
/** Not the default of 300 s, which a deploy can outlast. */
const ttlSeconds = 3600;

/** @returns a code of before the rotation, to be verified when no function remembers the secret of before. */
export async function rotateOtpSecret(ground: Ground, deployed: Deployed): Promise<SentCode> {
  const { report, shell, rotateCommands, releases } = ground;
  const before = await sendCode(ground, deployed);
  const kept = await sendCode(ground, deployed);
  const rotated = await shell(releases.first.folder, rotateCommands.take(/^aws secretsmanager/), {
    ARN: deployed.outputs.OtpSecretArn ?? 'no output OtpSecretArn',
  });
  report.show(rotated.status === 0, 'aws secretsmanager put-secret-value', rotated.output);
  await verified(ground, deployed, before, 'a code of before the rotation');
  await verified(ground, deployed, await sendCode(ground, deployed), 'one sent right after it');
  return kept;
}

/** After a deploy, which has every function read the secret anew. */
export async function afterOtpRotation(ground: Ground, deployed: Deployed, kept: SentCode): Promise<void> {
  const current = await secretVersion(ground, 'AWSCURRENT');
  const previous = await secretVersion(ground, 'AWSPREVIOUS');
  ground.report.show(
    kept.code === deriveCode(previous, kept.otpId, codeLength),
    'the code of before was derived under the version before',
  );
  await verified(ground, deployed, kept, 'it verifies where nothing is remembered of that time, too');
  const fresh = await sendCode(ground, deployed);
  ground.report.show(
    fresh.code === deriveCode(current, fresh.otpId, codeLength),
    'a new code is derived under the new version',
  );
  await verified(ground, deployed, fresh, 'it verifies');
}

/** Sends a one-time password, and reads its code where the simulated carrier put it. */
async function sendCode(ground: Ground, deployed: Deployed): Promise<SentCode> {
  const to = `+4477009${randomInt(10_000, 99_999)}`;
  const { otp_id: otpId } = await post(ground, deployed, 'send', { to, ttl: ttlSeconds });
  const outbox = `npm run --silent admin -- --stage dev --json call listOutbox --to ${to}`;
  for (const deadline = Date.now() + handedOverWithinMs; Date.now() < deadline; await pause(500)) {
    const { output } = await ground.shell(ground.releases.first.folder, outbox);
    const { messages } = JSON.parse(output) as { messages: readonly { body: string }[] };
    const [code] = /\b\d{6}\b/.exec(messages[0]?.body ?? '') ?? [];
    if (code !== undefined) return { otpId: String(otpId), code };
  }
  throw new Error(`no code came to ${to}`);
}

async function verified(ground: Ground, deployed: Deployed, { otpId, code }: SentCode, what: string) {
  const answer = await post(ground, deployed, 'verify', { otp_id: otpId, code });
  ground.report.show(answer.verified === true, what, JSON.stringify(answer));
}

async function post(
  { baseUrl }: Ground,
  { token }: Deployed,
  what: 'send' | 'verify',
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await persistentFetch(`${baseUrl}/api/v1/otp/${what}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Readonly<Record<string, unknown>>;
}

async function secretVersion({ endpoint, survey }: Ground, VersionStage: string): Promise<string> {
  const { region, accessKeyId, secretAccessKey } = emulatorAccess;
  const secrets = new SecretsManagerClient({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
  });
  const secret = (await survey.resources(stackName)).find(
    ({ type }) => type === 'AWS::SecretsManager::Secret',
  );
  const { SecretString = '' } = await secrets.send(
    new GetSecretValueCommand({ SecretId: secret?.id, VersionStage }),
  );
  return SecretString;
}
