/** The metrics that functions write: alarms and the CloudWatch dashboard read them by the same names. */

export const metricNamespace = 'MessagingGateway';

/** Counted for the whole stage. */
export type StageMetric =
  | 'CarrierRefusal'
  | 'CarrierThrottle'
  | 'InvalidLimitOverride'
  | 'InvalidSender'
  | 'OtpHeld'
  | 'RefusedEntry'
  | 'SpendCapNearlyReached'
  | 'SpendCapReached'
  | 'SyntheticSendFailed'
  | 'UnknownReceipt'
  | 'UnreadableNotification'
  | 'UnreadableStreamRecord'
  | 'WebhookFailed';

/** Times of the whole stage, in milliseconds. */
export type TimeMetric = 'SyntheticHandOverTime' | 'SyntheticDeliveryTime';

export const functionFailureMetric = 'FunctionFailure';

export const messageCostMetric = 'MessageCost';

/** What no function counts: CloudWatch reads the values in log lines that are written anyway. */
export type LoggedMetric = typeof messageCostMetric | 'OtpHandOverTime' | 'WebhookFirstAttemptTime';
