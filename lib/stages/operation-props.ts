/** The properties of the construct about capacity, alarms and releases: a part of `MessagingGatewayProps`. */
export interface OperationProps {
  /**
   * How many batches of each queue are processed at once; what a carrier or the endpoints can handle limits it.
   * @default {"otpSends":10,"singleSends":20,"bulkSends":20,"receipts":20,"webhooks":50,"slowWebhooks":50}
   */
  readonly concurrency?: {
    otpSends: number;
    singleSends: number;
    bulkSends: number;
    receipts: number;
    webhooks: number;
    slowWebhooks: number;
  };
  /**
   * Reserved concurrency by function, such as `{ 'send-sms': 200 }`.
   * @default {}
   */
  readonly reservedConcurrency?: Record<string, number>;
  /**
   * Provisioned concurrency by function, which has no cold starts then. For one-time passwords it is that of `send-otp`,
   * `verify-otp` and `dispatch-message`. Lambda refuses a change of it during a
   * canary, so new code of these functions gets all calls at once.
   * @default {}
   */
  readonly provisionedConcurrency?: Record<string, number>;
  /**
   * Provisioned read and write units a second, between which the tables that every message uses are scaled. Steady traffic
   * costs less than half of on-demand capacity, but is throttled for minutes when traffic suddenly doubles.
   * @default none, which is on-demand capacity
   */
  readonly provisionedCapacity?: { min: number; max: number };
  /**
   * Whether there are alarms. Each metric that one reads is charged.
   * @default false; in production true
   */
  readonly alarms?: boolean;
  /**
   * The address that alarms notify; without one they only change their state.
   * @default none
   */
  readonly alarmEmail?: string;
  /**
   * The ARNs of existing topics that alarms notify, by severity; without `warning` only critical ones notify. The policies of
   * the topics must let CloudWatch publish.
   * @default none
   */
  readonly alarmTopics?: { critical: string; warning?: string | undefined };
  /**
   * Whether the end of an alarm notifies, too.
   * @default false
   */
  readonly alarmOkActions?: boolean;
  /**
   * Whether one alarm for each severity and area notifies (ten in all), in place of each of the 74 alarms.
   * @default false
   */
  readonly compositeAlarms?: boolean;
  /**
   * The address of docs/operate.md, whose runbooks alarms link to.
   * @default "docs/operate.md"
   */
  readonly docsUrl?: string;
  /**
   * An alarm goes off when a day's messages cost more than this, in the currency of `prices`.
   * @default 100
   */
  readonly spendAlarmPerDay?: number;
  /**
   * The shares that must succeed: of requests without a 5xx, of one-time passwords handed over and of webhooks first
   * attempted within so many seconds. An alarm goes off when the budget of failures burns too fast.
   * @default {"availability":0.999,"otpHandOver":{"share":0.95,"seconds":5},"firstWebhook":{"share":0.95,"seconds":30}}
   */
  readonly objectives?: {
    availability: number;
    otpHandOver: { share: number; seconds: number };
    firstWebhook: { share: number; seconds: number };
  };
  /**
   * Whether a message is sent each minute with a test key, by the public address, and an alarm goes off where none is delivered.
   * @default false; in production true
   */
  readonly syntheticSend?: boolean;
  /**
   * New code gets a tenth of the calls for five minutes, and is rolled back when an alarm goes off.
   * @default false; in production true
   */
  readonly canary?: boolean;
  /**
   * Permits a deploy while an alarm is on, which CodeDeploy otherwise refuses: for the deploy that fixes the cause.
   * @default false
   */
  readonly ignoreAlarmConfiguration?: boolean;
}
