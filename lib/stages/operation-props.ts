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
   * Reserved and provisioned concurrency by function, such as `{ 'send-otp': { reserved: 50, provisioned: 5 } }`. With provisioned
   * concurrency a function has no cold starts; one-time passwords need it for `send-otp`, `verify-otp` and `dispatch-message`. Lambda
   * refuses a change of it during a canary, so new code of these functions gets all calls at once.
   * @default {}
   */
  readonly functionConcurrency?: Record<
    string,
    { reserved?: number | undefined; provisioned?: number | undefined }
  >;
  /**
   * Provisioned read and write units a second, between which the tables that every message uses are scaled. Steady traffic
   * costs less than half of on-demand capacity, but is throttled for minutes when traffic suddenly doubles.
   * @default none, which is on-demand capacity
   */
  readonly provisionedCapacity?: { min: number; max: number };
  /**
   * Alarms, for 6 USD a month: `mail` is the address that they notify, `page` one for those that cannot wait for a working day. Each is
   * an e-mail address or the ARN of an existing topic, whose policy must let CloudWatch publish. Without `mail`, alarms only change their
   * state. An alarm goes off if the messages of a day cost `spendPerDay`, in the currency of `countries`.
   * @default false; in production {"spendPerDay":100}
   */
  readonly alarms?:
    | false
    | { mail?: string | undefined; page?: string | undefined; spendPerDay?: number | undefined };
  /**
   * Whether CloudWatch has a dashboard of the gateway, for 3 USD a month. Turn it on if you watch a gateway on a screen.
   * @default false
   */
  readonly dashboard?: boolean;
  /**
   * The address of docs/operate.md in your repository, whose runbooks alarms link to.
   * @default "https://git.example.com/messaging-gateway/blob/main/docs/operate.md"
   */
  readonly docsUrl?: string;
  /**
   * Sends a message every five minutes with a test key, by the public address; an alarm goes off if none is delivered.
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
