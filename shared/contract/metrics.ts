/** The metrics that functions write: alarms read them by the same names. */

/** The metrics that functions count for the whole stage. */
export type StageMetric =
  | 'CarrierRefusal'
  | 'CarrierThrottle'
  | 'InvalidRow'
  | 'OtpHeld'
  | 'SendFailed'
  | 'SpendCapReached'
  | 'WorkFailed';

/** What no function counts: CloudWatch reads the values in log lines that are written anyway. */
export type LoggedMetric =
  | 'MessageCost'
  | 'OtpHandOverTime'
  | 'ReceiptRecorded'
  | 'WebhookFirstAttemptFailed'
  | 'WebhookFirstAttemptTime';
