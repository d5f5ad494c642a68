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
  | 'UnknownReceipt'
  | 'UnreadableNotification'
  | 'UnreadableStreamRecord'
  | 'WebhookFailed';

/** Counted for each function. */
export const functionFailureMetric = 'FunctionFailure';

/** The metric of costs. No function counts it: CloudWatch adds up the costs in the log lines of hand-overs. */
export const messageCostMetric = 'MessageCost';
