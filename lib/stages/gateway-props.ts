/**
 * The properties of the construct `MessagingGateway`: the settings of a stage. `stage-settings.ts` has the values that each
 * permits. A default is that of the stage `dev`, and of `production` where it differs.
 */
import type { OperationProps } from './operation-props.ts';

export interface MessagingGatewayProps extends OperationProps {
  /**
   * The set of defaults: `dev` for trials, with simulated carriers and no data kept; `production` for real messages; `local`
   * for the emulator.
   * @default "dev"
   */
  readonly stage?: 'dev' | 'production' | 'local';
  /**
   * True if tables, keys and logs are kept when the stack is deleted, and the stack of a stage is protected against deletion.
   * @default false; in production true
   */
  readonly keepData?: boolean;
  /**
   * Days for which messages and webhook deliveries are kept.
   * @default 30; in production 90
   */
  readonly retentionDays?: number;
  /**
   * Days for which logs are kept: a number that CloudWatch Logs offers, such as 30, 365 or 3653.
   * @default 7; in production 90
   */
  readonly logRetentionDays?: number;
  /**
   * The ARN of an existing KMS key that encrypts tables, queues, topics, logs and the secret of one-time passwords. Its policy
   * must permit the services that write to them.
   * @default none, which is keys of AWS
   */
  readonly encryptionKeyArn?: string;
  /**
   * The ARN of the permissions boundary of every role.
   * @default none
   */
  readonly permissionsBoundaryArn?: string;
  /**
   * Tags of every resource that can have some.
   * @default {}
   */
  readonly tags?: Record<string, string>;
  /**
   * X-Ray traces of every function; each trace is charged.
   * @default false; in production true
   */
  readonly tracing?: boolean;
  /**
   * The access log of API Gateway, which has requests that reach no function. It sets the role with which all APIs of the
   * account log in the region.
   * @default false; in production true
   */
  readonly apiAccessLogs?: boolean;
  /**
   * The carriers of SMS, in order of preference and separated by commas: the next is asked where the one before has provably
   * not taken a message. `simulator` sends no real messages, and costs nothing; with `off` sends by the channel are refused.
   * @default "simulator"; in production "aws"
   */
  readonly smsCarrier?: string;
  /**
   * The carriers of WhatsApp messages, as for SMS.
   * @default "simulator"; in production "aws"
   */
  readonly whatsappCarrier?: string;
  /**
   * The only countries that clients without a list of their own may send to, and the price of a message to each: a JSON file, or
   * what it would have. Required if a carrier is not the simulator. A new client gets this list. Numbers without a country, such as
   * those of satellites, are allowed only if their calling code is named (`+881`).
   * @default none, which is all countries at the prices of the simulator
   */
  readonly countries?:
    | string
    | {
        note?: string | undefined;
        currency: string;
        countries: Record<string, { sms?: number | undefined; whatsapp?: number | undefined }>;
      };
  /**
   * Caps on recipients and on estimated cost for each client, in the currency of `countries`; a row of `limit-overrides`
   * replaces them for its client, window by window. A client with a cap can send about 1,000 requests a second.
   * @default {}; in production {"spend":{"perDay":100,"perMonth":1000}}
   */
  readonly caps?: {
    messages?: { perMinute?: number; perHour?: number; perDay?: number; perMonth?: number } | undefined;
    spend?: { perDay?: number; perMonth?: number } | undefined;
  };
  /**
   * What happens where it is not known in time whether a carrier has a message, unless its send says so: it is sent again,
   * fails, or waits until its validity ends.
   * @default {"otp":"send_again","promotional":"fail","other":"wait"}
   */
  readonly onUnknown?: Record<'otp' | 'promotional' | 'other', 'send_again' | 'fail' | 'wait'>;
  /**
   * When one-time passwords of a client to a country are held for an administrator. They are held after `minimumSends`, when less than
   * `shareOfUsual` of the usual share or less than `minimumShare` was verified within `settleSeconds`.
   * @default {"minimumSends":30,"usualShare":0.4,"shareOfUsual":0.5,"minimumShare":0.1,"settleSeconds":120}
   */
  readonly otpHold?: {
    minimumSends: number;
    usualShare: number;
    shareOfUsual: number;
    minimumShare: number;
    settleSeconds: number;
  };
  /**
   * The number, sender id or pool set up in AWS End User Messaging; required where it carries SMS.
   * @default none
   */
  readonly smsOriginationIdentity?: string;
  /**
   * The id of a protect configuration of AWS End User Messaging, created by hand: the countries that AWS itself allows or
   * blocks. Without it, the protect configuration of the configuration set or of the account is in force.
   * @default none
   */
  readonly smsProtectConfigurationId?: string;
  /**
   * The phone number of AWS End User Messaging Social, `phone-number-id-…`; required where it carries WhatsApp.
   * @default none
   */
  readonly whatsappPhoneNumberId?: string;
  /**
   * `name/language` of the approved authentication template for one-time passwords; without it they are sent as text.
   * @default none
   */
  readonly whatsappOtpTemplate?: string;
  /**
   * The country of numbers that administrators write without a country code, such as `07700 900123`, in a search.
   * @default "GB"
   */
  readonly country?: string;
  /**
   * Words with which a person opts out, besides STOP and similar words: those of the recipients' languages.
   * @default []
   */
  readonly optOutWords?: string[];
  /**
   * The address of the API if it is neither its domain name nor API Gateway's own: that of a proxy in front of it.
   * @default none
   */
  readonly publicUrl?: string;
  /**
   * The API's domain name; its certificate is in the same region. Without a zone, the DNS record is created by hand. With
   * `disableDefaultEndpoint`, API Gateway's own address, `execute-api`, is off.
   * @default none
   */
  readonly customDomain?: {
    name: string;
    certificateArn: string;
    hostedZone?: { id: string; name: string } | undefined;
    disableDefaultEndpoint?: boolean | undefined;
  };
  /**
   * The proxies in front of the API (CIDR blocks), and the header in which they name the caller's address. Without it, all
   * callers without credentials, and all for the web ACL, are one address. That header of other requests is ignored.
   * @default none
   */
  readonly trustedProxies?: { addresses: string[]; header: string };
  /**
   * The web ACL in front of the API, for 7 USD a month: `true` for the gateway's own, which blocks floods and addresses of bad
   * reputation, or the ARN of an existing regional one.
   * @default false; in production true
   */
  readonly webAcl?: boolean | string;
  /**
   * The throttle of the whole API, above which API Gateway responds with 429; an account's own limit is 10,000 a second.
   * @default {"requestsPerSecond":2000,"burst":4000}
   */
  readonly apiThrottle?: { requestsPerSecond: number; burst: number };
  /**
   * The keys that may sign tokens; the last one does. Two during a rotation.
   * @default [1]
   */
  readonly tokenKeyGenerations?: number[];
  /**
   * The subnets and security groups in which webhooks are sent: private subnets whose NAT gateways have fixed addresses.
   * @default none, which is changing addresses of AWS
   */
  readonly webhookVpc?: { subnetIds: string[]; securityGroupIds: string[] };
  /**
   * Ports that a webhook URL may have; `any` only for endpoints on the same machine as the gateway.
   * @default [80,443]
   */
  readonly webhookPorts?: 'any' | number[];
}
