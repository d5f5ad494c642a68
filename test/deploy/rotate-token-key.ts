/** The key that signs tokens, rotated as docs/rotate-and-restore.md says: no token fails before it is over. */
import { decodeProtectedHeader } from 'jose';
import { type Deployed, endOf, type Ground, stackName } from './ground.ts';
import { sendOne, tokenOf } from './traffic.ts';
import { underTraffic } from './under-traffic.ts';

/** The page is about production; the emulator has the local stage. */
const ofProduction = ' -c stage=production';

/** @returns the command by which both keys stand side by side, and a token of the new one. */
export async function rotateTokenKey(
  ground: Ground,
  { clientId, clientSecret, token: old }: Deployed,
): Promise<{ readonly deploy: string; readonly token: string }> {
  const { report, shell, rotateCommands, baseUrl, releases } = ground;
  const deploy = rotateCommands.take(/tokenKeyGenerations=\[1,2\]/).replace(ofProduction, '');
  await underTraffic(ground, old, async () => {
    const rotated = await shell(releases.next.folder, deploy);
    report.show(rotated.status === 0, deploy, endOf(rotated.output));
  });
  const token = await tokenOf(baseUrl, clientId, clientSecret);
  const [before, after] = [decodeProtectedHeader(old).kid, decodeProtectedHeader(token).kid];
  report.show(before !== after, 'a new token is signed by the new key');
  await accepted(ground, 'old', old);
  await accepted(ground, 'new', token);
  return { deploy, token };
}

/** The second step, an hour later for those who still hold tokens of the first key. */
export async function withdrawOldTokenKey(ground: Ground, token: string): Promise<void> {
  const { report, shell, rotateCommands, survey, releases } = ground;
  const keys = async () =>
    (await survey.resources(stackName)).filter(({ type }) => type === 'AWS::KMS::Key').length;
  const before = await keys();
  const deploy = rotateCommands.take(/tokenKeyGenerations=\[2\]/).replace(ofProduction, '');
  const withdrawn = await shell(releases.next.folder, deploy);
  report.show(withdrawn.status === 0, deploy, endOf(withdrawn.output));
  const after = await keys();
  report.show(before === 2 && after === 1, `of ${before} token keys ${after} is left in the stack`);
  await accepted(ground, 'new', token);
}

async function accepted(
  { report, baseUrl, webhookEndpoint }: Ground,
  name: string,
  token: string,
): Promise<void> {
  const answer = await sendOne(baseUrl, token, webhookEndpoint.url);
  report.show(
    answer.status === 202,
    `a token of the ${name} key is accepted`,
    `${answer.status} ${await answer.text()}`,
  );
}
