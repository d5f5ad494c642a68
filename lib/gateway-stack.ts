/**
 * The map of the system: its parts. What each function uses of them is declared in `shared/contract/function-uses.ts`.
 *
 * A request enters by the API and is stored as a message; the messages table's stream starts everything after that.
 */
import { CfnOutput, CliCredentialsStackSynthesizer, type IStackSynthesizer, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { createAdminApi } from './capabilities/admin/admin-api.ts';
import { createAdminDashboard } from './capabilities/admin/admin-dashboard.ts';
import { AlarmNotifications } from './capabilities/alarm-notifications.ts';
import { Api } from './capabilities/api/api.ts';
import { Canary } from './capabilities/api/canary.ts';
import { CloudWatchDashboard } from './capabilities/cloudwatch-dashboard.ts';
import { grantUses, type Queues } from './capabilities/grant-uses.ts';
import { Messaging } from './capabilities/messaging/messaging.ts';
import { OtpSecret } from './capabilities/otp-secret.ts';
import { ReviewEditedRows } from './capabilities/review-edited-rows.ts';
import { Schedules } from './capabilities/schedules.ts';
import { Storage } from './capabilities/storage/storage.ts';
import { TokenKey } from './capabilities/token-key.ts';
import { Webhooks } from './capabilities/webhooks/webhooks.ts';
import { createFunctionThrottleAlarm } from './constructs/gateway-function.ts';
import { publishedSettings } from './constructs/stack-outputs.ts';
import type { StageSettings } from './stages/stage-settings.ts';

export class GatewayStack extends Stack {
  constructor(scope: Construct, stage: StageSettings) {
    super(scope, stage.stackName, {
      description: `Messaging gateway, stage ${stage.name}`,
      ...(stage.region === undefined ? {} : { env: { region: stage.region } }),
      terminationProtection: stage.terminationProtection,
      ...(stage.deployWithCallerCredentials
        ? { synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer }
        : {}),
    });
    const storage = new Storage(this, 'Storage', stage);
    const schedules = new Schedules(this, 'Schedules', stage);
    const tokenKey = new TokenKey(this, 'TokenKey', stage);
    const otpSecret = new OtpSecret(this, 'OtpSecret', stage);

    const api = new Api(this, 'Api', stage);
    const messaging = new Messaging(this, 'Messaging', { stage, storage, schedules });
    const { lanes } = new Webhooks(this, 'Webhooks', { stage, storage, schedules });
    new ReviewEditedRows(this, 'RowFeedback', {
      stage,
      storage,
      schedules,
      deadLetters: messaging.deadLetters.queue,
    });
    const admin = new Construct(this, 'Admin');
    createAdminApi(admin, stage, api);
    createAdminDashboard(admin, stage, api);

    const { otp, single, bulk } = messaging.outbound.queues;
    const queues: Queues = {
      'otp-outbound': otp,
      outbound: single,
      'bulk-outbound': bulk,
      receipts: messaging.receipts,
      webhooks: lanes.fast,
      'slow-webhooks': lanes.slow,
      'relay-dead-letter': messaging.deadLetters,
      'lost-records': messaging.lostRecords,
    };
    const { baseUrl } = api;
    grantUses(this, { stage, storage, schedules, queues, otpSecret, tokenKey, baseUrl });

    if (stage.canary) new Canary(this, 'Canary', stage, api.alarms);

    createFunctionThrottleAlarm(this, stage);
    // Both find the alarms that exist, so they are created last.
    if (stage.alarmEmail !== undefined) new AlarmNotifications(this, 'AlarmNotifications', stage.alarmEmail);
    new CloudWatchDashboard(this, 'CloudWatchDashboard', stage);

    this.publish(storage.names());
    this.publish(messaging.queueUrls());
    this.publish(lanes.urls());
    this.publish(publishedSettings(stage));
  }

  /** Publishes stack outputs, which the admin command line and the tests read. */
  private publish(values: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(values)) new CfnOutput(this, key, { value });
  }
}
