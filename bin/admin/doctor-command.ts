/** `doctor`: shows the current problems of a client, or of the stage's carriers and account, with their solutions. */

import { LambdaClient } from '@aws-sdk/client-lambda';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SocialMessagingClient } from '@aws-sdk/client-socialmessaging';
import { stages } from '../../lib/stages/stages.ts';
import type { AdminContext } from '../../shared/admin/admin-context.ts';
import { listCarriers } from '../../shared/admin/check-carriers.ts';
import { diagnoseClient } from '../../shared/admin/diagnosis/diagnose-client.ts';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { stackResources } from '../../shared/admin/stack-resources.cloudformation.ts';
import { modeOf } from '../../shared/contract/mode.ts';
import { deployedStacks, timeLimits } from '../deployed-stacks.ts';
import { type AdminCommand, type CommandResult, clientOf, searchedData } from './command.ts';
import type { ConnectedGateway } from './gateway-connection.ts';
import { emailSubscriptions, type Missing, missingOnAws } from './missing-on-aws.ts';
import { textTable } from './print.ts';

export function addDoctorCommand(program: AdminCommand): void {
  program
    .command('doctor')
    .description(
      'shows the problems of a client: access, limits, caps, failed messages and webhooks. If no client is given, it shows the problems of the stage: the credentials of its carriers, and what is missing on AWS',
    )
    .argument('[client]', 'its id or name')
    .addHelpText('after', '\nExit status 1: there is a problem.')
    .run(async (session, client: string | undefined) => {
      const { ctx, gateway } = session;
      if (client === undefined) return diagnosedStage(ctx, gateway);
      const clientId = await clientOf(session, client);
      const diagnosis = await diagnoseClient(ctx, clientId);
      const problems = diagnosis.findings.filter(({ severity }) => severity === 'problem').length;
      return {
        json: { ...diagnosis, mode: modeOf(clientId) },
        text: () => [
          `${diagnosis.name} (${clientId}), ${diagnosis.at}`,
          textTable(
            diagnosis.findings,
            ['severity', 'about', ['what', 'message'], 'next_step'],
            'Nothing is wrong.',
          ),
          searchedData(session, clientId),
        ],
        problem: countOf(problems),
      };
    });
}

function countOf(problems: number): string | undefined {
  return problems === 0 ? undefined : `${problems} ${problems === 1 ? 'problem' : 'problems'}`;
}

async function diagnosedStage(ctx: AdminContext, { stackName }: ConnectedGateway): Promise<CommandResult> {
  const isLocal = stackName === stages.local.stackName;
  const [{ carriers }, missing] = await Promise.all([
    listCarriers(ctx),
    isLocal ? [] : missingOf(stackName, ctx),
  ]);
  const failing = new Set(
    carriers.filter((each) => each.credentials_work === false).map(({ carrier }) => carrier),
  );
  return {
    json: { carriers, missing },
    text: () => [
      carrierTable(carriers),
      ...(isLocal
        ? []
        : [
            textTable(
              missing,
              ['about', ['missing on AWS', 'problem'], 'next_step'],
              'Nothing is missing on AWS.',
            ),
          ]),
    ],
    problem: countOf(failing.size + missing.length),
  };
}

async function missingOf(stackName: string, { carriers }: AdminContext): Promise<readonly Missing[]> {
  const lambda = new LambdaClient({ requestHandler: timeLimits });
  const sms = new PinpointSMSVoiceV2Client({ requestHandler: timeLimits });
  const social = new SocialMessagingClient({ requestHandler: timeLimits });
  try {
    const [[stack], resources] = await Promise.all([deployedStacks(stackName), stackResources(stackName)]);
    const outputs = stack?.outputs ?? {};
    // A platform team's stack may also contain topics without alarms.
    const alarmTopics = resources
      .filter(({ type, logicalId }) => type === 'AWS::SNS::Topic' && logicalId.includes('AlarmNotifications'))
      .map((topic) => topic.physicalId);
    return await missingOnAws(
      { lambda, sms, social, subscriptionsOf: (topic) => emailSubscriptions(lambda.config, topic) },
      {
        smsByAws: carriers.sms.includes('aws'),
        whatsappByAws: carriers.whatsapp.includes('aws'),
        receiptsTopic: outputs.ReceiptsTopicArn,
        alarmTopics,
      },
    );
  } finally {
    for (const client of [lambda, sms, social]) client.destroy();
  }
}

function carrierTable(carriers: readonly RowOf<'listCarriers', 'carriers'>[]): string {
  return textTable(
    carriers,
    [
      'channel',
      ['order', 'preference'],
      'carrier',
      ['credentials', credentialsText],
      ['last answer', ({ last_answer: last }) => last && `${last.outcome} ${last.at}`],
      'next_step',
    ],
    'Both channels are turned off: no carrier is set.',
  );
}

function credentialsText({
  credentials_work,
  credentials_answer,
}: RowOf<'listCarriers', 'carriers'>): string {
  if (credentials_work === null) return 'none of its own';
  return credentials_work ? 'work' : `do not work: ${credentials_answer}`;
}
