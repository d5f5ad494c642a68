/** The properties of the construct about capacity, alarms and releases, which are part of `MessagingGatewayProps`. */
export interface OperationProps {
  // Capacity
  /**
   * The maximum number of batches of each queue that are processed at once. Do not exceed what carriers and endpoints can
   * handle.
   * @default {"otpSends":10,"singleSends":20,"bulkSends":20,"receipts":20,"webhooks":100,"webhookRetries":100}
   * @change If messages wait in a queue, or the account allows fewer executions.
   */
  readonly concurrency?: {
    otpSends: number;
    singleSends: number;
    bulkSends: number;
    receipts: number;
    webhooks: number;
    webhookRetries: number;
  };
  /**
   * Reserved and provisioned concurrency by function, such as `{ 'send-otp': { reserved: 50, provisioned: 5 } }`. With
   * provisioned concurrency, a function has no cold starts. For one-time passwords, provision `send-otp`, `verify-otp` and
   * `dispatch-message`. Lambda cannot change it during a canary, so new code of these functions gets all calls immediately.
   * @default {}
   * @cost provisioned concurrency
   * @change If cold starts are too slow for you.
   */
  readonly functionConcurrency?: Record<
    string,
    { reserved?: number | undefined; provisioned?: number | undefined }
  >;
  /**
   * The minimum and maximum of provisioned read and write units a second, for the tables that every message uses. If
   * traffic suddenly doubles, DynamoDB throttles these tables for minutes.
   * @default none, which uses on-demand capacity
   * @cost USD 6.83 a month for each unit of `min`
   * @change If traffic is steady and large.
   */
  readonly provisionedCapacity?: { min: number; max: number };

  // Alarms and releases
  /**
   * Where alarms are sent: `mail`, and `page` for alarms that cannot wait for a working day. Each is an e-mail address or
   * the ARN of an existing topic. The topic's policy must let CloudWatch publish. If `mail` is missing, alarms only
   * change their state. The alarm `spend` goes off if a day's messages cost `spendPerDay`, in the currency of `countries`.
   * @default false; in production {"spendPerDay":100}
   * @cost 5 USD a month
   * @change Before real messages: set an address.
   */
  readonly alarms?:
    | false
    | { mail?: string | undefined; page?: string | undefined; spendPerDay?: number | undefined };
  /**
   * The URL of docs/operate.md in your repository. Alarms link to the runbooks on this page.
   * @default "https://git.example.com/messaging-gateway/blob/main/docs/operate.md"
   * @change Before real messages: set your repository's URL.
   */
  readonly docsUrl?: string;
  /**
   * X-Ray traces of every function.
   * @default false; in production true
   * @cost USD 0.60 for a million messages
   * @change If you use another tool, or none.
   */
  readonly tracing?: boolean;
  /**
   * New code gets a tenth of the calls for five minutes, and is rolled back if an alarm goes off. This requires `alarms`.
   * @default false; in production true
   * @change If releases must be fast.
   */
  readonly canary?: boolean;
  /**
   * Permits a deploy while an alarm is on, which CodeDeploy refuses by default.
   * @default false
   * @change For a deploy that fixes the cause of an alarm.
   */
  readonly ignoreAlarmConfiguration?: boolean;
}
