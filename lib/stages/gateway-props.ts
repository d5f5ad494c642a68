/**
 * The properties of the construct `MessagingGateway`: the settings of a stage, in groups. `stage-settings.ts` contains their
 * permitted values. `@default` is the value in `dev`, then the value in `production` if it is different. `@change` says when to
 * change a setting.
 */
import type { OperationProps } from './operation-props.ts';

export interface MessagingGatewayProps extends OperationProps {
  // Data
  /**
   * The set of defaults: `dev` for trials, with simulated carriers and no data kept; `production` for real messages; `local` for
   * the emulator.
   * @default "dev"
   * @change For real messages.
   */
  readonly stage?: 'dev' | 'production' | 'local';
  /**
   * True to keep tables, keys and logs when the stack is deleted, and to protect the stack from deletion.
   * @default false; in production true
   * @change To keep the data of a trial, or to delete production data.
   */
  readonly keepData?: boolean;
  /**
   * Days for which messages and webhook deliveries are stored.
   * @default 30; in production 90
   * @change If your rules name another time.
   */
  readonly retentionDays?: number;
  /**
   * Days for which logs are stored: a number that CloudWatch Logs offers, such as 30, 365 or 3653.
   * @default 7; in production 90
   * @change If your rules name another time.
   */
  readonly logRetentionDays?: number;
  /**
   * The ARN of an existing KMS key that encrypts tables, queues, topics, logs and the secret of one-time passwords. Its policy
   * must permit the services that write to them.
   * @default none, which uses keys of AWS
   * @cost 1 USD a month, and each call of KMS
   * @change If data must be encrypted with a key of your own.
   */
  readonly encryptionKeyArn?: string;

  // Carriers
  /**
   * The carriers of SMS, separated by commas, in order of preference. The next carrier is used if the previous carrier
   * certainly did not accept a message. `simulator` sends no real messages. `off` refuses sends by the channel.
   * @default "simulator"; in production "aws"
   * @change To use another or a second carrier, or to turn SMS off.
   */
  readonly smsCarrier?: string;
  /**
   * The carriers of WhatsApp messages, as for SMS.
   * @default "simulator"; in production "aws"
   * @change To use another carrier, or to turn WhatsApp off.
   */
  readonly whatsappCarrier?: string;
  /**
   * The default sender of SMS by AWS: the id of a number or pool, or a sender ID.
   * @default none
   * @change Required if AWS carries SMS.
   */
  readonly smsOriginationIdentity?: string;
  /**
   * The id of the phone number at AWS End User Messaging Social, `phone-number-id-…`.
   * @default none
   * @change Required if AWS carries WhatsApp.
   */
  readonly whatsappPhoneNumberId?: string;
  /**
   * `name/language` of the approved authentication template for one-time passwords. By default they are sent as text.
   * @default none
   * @change If you send one-time passwords by WhatsApp.
   */
  readonly whatsappOtpTemplate?: string;
  /**
   * Words that opt a recipient out, besides STOP and similar words.
   * @default []
   * @change If your recipients do not write English.
   */
  readonly optOutWords?: string[];
  /**
   * The action if the result of a hand-over to a carrier stays unknown, by kind of message: `send_again`, or `wait` for a
   * receipt until the validity ends.
   * @default {"otp":"send_again","promotional":"wait","other":"wait"}
   * @change If a duplicate is better than a late message, or the reverse.
   */
  readonly onUnknown?: Record<'otp' | 'promotional' | 'other', 'send_again' | 'wait'>;

  // Spending and fraud
  /**
   * The countries to which a client without a country list may send, and the price of a message to each country: a JSON
   * file, or its content. A new client gets these countries as its list. Numbers without a country, such as satellite
   * phones, are allowed only if their calling code is listed (`+881`).
   * @default none, which allows all countries at the prices of the simulator
   * @change Required if messages cost money. To add a country.
   */
  readonly countries?:
    | string
    | {
        note?: string | undefined;
        currency: string;
        countries: Record<string, { sms?: number | undefined; whatsapp?: number | undefined }>;
      };
  /**
   * Caps on the number of recipients and on the estimated cost for each client, in the currency of `countries`. A row of
   * `limit-overrides` replaces these caps for its client, separately for each window. A client with a cap can send about
   * 1,000 requests a second.
   * @default {}; in production {"spend":{"perDay":100,"perMonth":1000}}
   * @cost USD 0.55 for a million messages
   * @change If clients may spend more, or less.
   */
  readonly caps?: {
    messages?: { perMinute?: number; perHour?: number; perDay?: number; perMonth?: number } | undefined;
    spend?: { perDay?: number; perMonth?: number } | undefined;
  };
  /**
   * The limits at which a client's one-time passwords by SMS are held until an administrator allows them. Passwords are held
   * if the client sent at least `minimumSends` in an hour (to one country or to all) and less than `minimumShare` of the
   * passwords was verified.
   * @default {"minimumSends":50,"minimumShare":0.1}
   * @change If genuine passwords are held, or fraud is held too late.
   */
  readonly otpHold?: {
    minimumSends: number;
    minimumShare: number;
  };
  /**
   * The country of numbers without a country code in a search, such as `07700 900123`.
   * @default "GB"
   * @change If your administrators are in another country.
   */
  readonly country?: string;

  // API
  /**
   * The API's domain name, with a certificate in the same region. If no zone is given, create the DNS record by hand.
   * `disableDefaultEndpoint` turns off API Gateway's own address, `execute-api`.
   * @default none
   * @change Before the first client, so that the address survives a new deploy.
   */
  readonly customDomain?: {
    name: string;
    certificateArn: string;
    hostedZone?: { id: string; name: string } | undefined;
    disableDefaultEndpoint?: boolean | undefined;
  };
  /**
   * The address of a proxy in front of the API. By default the API's address is its domain name, or API Gateway's own.
   * @default none
   * @change If clients call a proxy.
   */
  readonly publicUrl?: string;
  /**
   * The proxies in front of the API (CIDR blocks), and the header with the caller's address. By default, all callers behind
   * a proxy count as one address for the limit of callers without credentials. The header is ignored in requests from other
   * addresses. The gateway's own web ACL then has no limit by address, because a proxy would reach it.
   * @default none
   * @change If clients call a proxy.
   */
  readonly trustedProxies?: { addresses: string[]; header: string };
  /**
   * The web ACL of the API: `true` for the gateway's own, or the ARN of an existing regional one.
   * @default false; in production true
   * @cost 7 USD a month, and USD 0.60 for a million messages
   * @change If you have a web ACL, or know all callers.
   */
  readonly webAcl?: boolean | string;
  /**
   * The limit on requests to the whole API. Above this limit API Gateway responds with 429. The limit of an AWS account is
   * 10,000 requests a second.
   * @default {"requestsPerSecond":2000,"burst":4000}
   * @change If all clients together send more.
   */
  readonly apiThrottle?: { requestsPerSecond: number; burst: number };
  /**
   * The access log of API Gateway, which includes requests that reach no function. If it is on, the deploy sets
   * the IAM role for logs that all APIs of the account in the region share.
   * @default false; in production true
   * @cost USD 0.13 for a million messages
   * @change If the deploy must not set the account's role.
   */
  readonly apiAccessLogs?: boolean;
  /**
   * The generations of keys that may sign tokens; the last one signs.
   * @default [1]
   * @cost 1 USD a month for each key
   * @change While you rotate the key.
   */
  readonly tokenKeyGenerations?: number[];

  // Webhooks
  /**
   * The permitted ports of webhook URLs. Use `any` only for endpoints on the same machine as the gateway.
   * @default [80,443]
   * @change If a client's endpoint has another port.
   */
  readonly webhookPorts?: 'any' | number[];
  /**
   * The subnets and security groups in which webhooks are sent: private subnets whose NAT gateways have fixed addresses.
   * @default none, which uses changing addresses of AWS
   * @cost the NAT gateways
   * @change If clients allow only fixed addresses.
   */
  readonly webhookVpc?: { subnetIds: string[]; securityGroupIds: string[] };
}
