/** The names of the metrics that functions write and alarms read. */

/** The metrics that functions count for the whole stage. */
export type StageMetric =
  | 'CarrierRefusal'
  | 'CarrierThrottle'
  | 'InvalidRow'
  | 'OtpHeld'
  | 'SendFailed'
  | 'SpendCapReached'
  | 'WorkFailed';

/** Metrics that CloudWatch extracts from log lines, so that no function counts them. */
export type LoggedMetric =
  | 'MessageCost'
  | 'OtpHandOverTime'
  | 'ReceiptRecorded'
  | 'WebhookFirstAttemptFailed'
  | 'WebhookFirstAttemptTime';
