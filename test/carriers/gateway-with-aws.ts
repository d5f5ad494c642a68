/** A local gateway whose first carrier is `aws`, which `npm start` does not take: its calls go to a double. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { demoClients } from '../../bin/demo-clients.ts';
import { readCarriersFile } from '../../lib/local/carriers-file.ts';
import { connectionOf } from '../../lib/local/connection.ts';
import { emulatorAccess } from '../../lib/local/emulator.ts';
import { type LocalGateway, startLocalGateway } from '../../lib/local/gateway.ts';
import type { Channel } from '../../shared/contract/channels.ts';
import { type RunningGateway, reachGateway } from './gateway.ts';

const localFolder = join(import.meta.dirname, '..', '..', '.local');

const senders = {
  smsOriginationIdentity: '+12065550100',
  whatsappPhoneNumberId: 'phone-number-id-0123456789abcdef',
};

/** @param carriers - as in the file of `npm start -- --carriers`: those that come after `aws` */
export async function startGatewayWithAws(
  carriers: object,
  channel: Channel,
  url: string,
): Promise<RunningGateway & { publish(message: string): Promise<void> }> {
  const { settings, secrets } = asRead(carriers);
  const setting = channel === 'sms' ? 'smsCarrier' : 'whatsappCarrier';
  const gateway = await startLocalGateway({
    port: 0,
    timeScale: 1,
    carriers: { settings: { ...settings, ...senders, [setting]: `aws,${settings[setting]}` }, secrets },
    cacheFolder: localFolder,
    logFolder: localFolder,
    environment: process.env,
    preload: {
      file: join(import.meta.dirname, 'aws_configuration_set.py'),
      // The functions of the emulator inherit its environment.
      environment: { AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: url, AWS_ENDPOINT_URL_SOCIALMESSAGING: url },
    },
    progress: console.error,
    signal: new AbortController().signal,
  });
  const clients = await demoClients(gateway);
  const topic = await receiptsTopic(gateway);
  const stop = async (): Promise<void> => {
    await gateway.stop();
  };
  return {
    ...(await reachGateway(connectionOf(gateway, clients), process.pid, stop)),
    publish: (message) => publish(gateway, topic, message),
  };
}

function asRead(carriers: object) {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-carriers-'));
  const file = join(folder, 'carriers.json');
  writeFileSync(file, JSON.stringify(carriers));
  const read = readCarriersFile(file);
  rmSync(folder, { recursive: true, force: true });
  return read;
}

async function receiptsTopic({ aws }: LocalGateway): Promise<string> {
  const { region, ...credentials } = emulatorAccess;
  const client = new CloudFormationClient({ endpoint: aws.endpoint, region, credentials });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({}));
  client.destroy();
  const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs);
  const topic = outputs.find(({ OutputKey }) => OutputKey === 'ReceiptsTopicArn')?.OutputValue;
  if (topic === undefined) throw new Error('the stack has no topic for receipts');
  return topic;
}

/** As AWS does: the topic feeds the receipts queue. */
async function publish({ aws }: LocalGateway, TopicArn: string, Message: string): Promise<void> {
  const { region, accessKeyId } = emulatorAccess;
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const response = await fetch(aws.endpoint, {
    method: 'POST',
    headers: {
      // The emulator reads who calls, and does not check the signature.
      Authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${day}/${region}/sns/aws4_request, SignedHeaders=host, Signature=0`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ Action: 'Publish', Version: '2010-03-31', TopicArn, Message }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}
