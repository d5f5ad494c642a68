/** The same stage in a second region of the account: both gateways work, and the end of one leaves the other as it is. */
import { type Front, startFront } from '../../lib/local/front.ts';
import { makeClient } from './first-deploy.ts';
import { describe, endOf, type Ground, stackName } from './ground.ts';
import { surveyOf } from './survey.ts';
import { sendOne, tokenOf } from './traffic.ts';
import { showWebhooks } from './under-traffic.ts';

/** The region that the documentation has in its commands. */
const secondRegion = 'eu-west-1';

/** The page is about production; the emulator has no carrier, and only the local stage calls endpoints on this machine. */
const fillIn = {
  '-c stage=production': '',
  ' -c settingsFile=settings.production.eu-west-1.json': '',
};

/** @param firstToken - of a client of the gateway in the first region */
export async function twoRegions(ground: Ground, firstToken: string): Promise<void> {
  const { report, shell, deployCommands, survey, endpoint, releases } = ground;
  const { folder } = releases.next;
  const inFirst = await survey.standing(await survey.resources(stackName));
  const front = await startFront(0);
  try {
    for (const command of [/^AWS_REGION=.* npx cdk bootstrap$/, /^AWS_REGION=.* npx cdk deploy /]) {
      const documented = deployCommands.take(command);
      const ran = await shell(folder, documented, fillIn);
      report.show(ran.status === 0, documented, endOf(ran.output));
      front.open({ endpoint, apiId: ran.outputs.ApiId ?? '' });
    }
    const second = await clientOfSecond(ground, front);
    await sendInBoth(ground, firstToken, second);
    await destroySecond(ground);
  } finally {
    await front.close();
  }
  const left = await survey.standing(inFirst);
  report.show(
    left.length === inFirst.length,
    `the first region has its ${inFirst.length} resources`,
    describe(inFirst.filter(({ id }) => left.every((one) => one.id !== id))),
  );
  await showWebhooks(ground, [await taken(ground, ground.baseUrl, firstToken)]);
}

interface OfSecond {
  readonly baseUrl: string;
  readonly token: string;
}

async function clientOfSecond(ground: Ground, front: Front): Promise<OfSecond> {
  const { shell, releases } = ground;
  const baseUrl = `http://127.0.0.1:${front.port}`;
  const { clientId, clientSecret } = await makeClient(ground, {
    folder: releases.next.folder,
    shell: (folder, command, values) => shell(folder, `AWS_REGION=${secondRegion} ${command}`, values),
  });
  return { baseUrl, token: await tokenOf(baseUrl, clientId, clientSecret) };
}

async function sendInBoth(ground: Ground, firstToken: string, second: OfSecond): Promise<void> {
  const { report, baseUrl } = ground;
  await showWebhooks(ground, [
    await taken(ground, baseUrl, firstToken),
    await taken(ground, second.baseUrl, second.token),
  ]);
  const foreign = await sendOne(second.baseUrl, firstToken, ground.webhookEndpoint.url);
  report.show(foreign.status === 401, `a token of the first region is ${foreign.status} in the second`);
}

/** Sends one message. @returns its id */
async function taken({ webhookEndpoint }: Ground, baseUrl: string, token: string): Promise<string> {
  const response = await sendOne(baseUrl, token, webhookEndpoint.url);
  const body = await response.text();
  if (response.status !== 202) throw new Error(`${baseUrl} took no message: ${response.status} ${body}`);
  return (JSON.parse(body) as { message_id: string }).message_id;
}

async function destroySecond({ report, shell, deployCommands, endpoint, releases }: Ground): Promise<void> {
  const survey = surveyOf(endpoint, secondRegion);
  const resources = await survey.resources(stackName);
  const begun = new Date();
  const documented = deployCommands.take(/^AWS_REGION=.* npx cdk destroy /);
  const destroyed = await shell(releases.next.folder, documented, fillIn);
  report.show(
    destroyed.status === 0 && (await survey.stackStatus(stackName)) === 'gone',
    documented,
    endOf(destroyed.output),
  );
  const left = await survey.standing(resources, begun);
  report.show(left.length === 0, `nothing is left of its ${resources.length} resources`, describe(left));
}
