/** The environment variables of functions that come from the stage's settings. */
import type { EnvironmentName } from '../../shared/platform/env.ts';
import { type StageSettings, smsConfigurationSet } from './stage-settings.ts';

export function stageVariables(stage: StageSettings): Partial<Record<EnvironmentName, string>> {
  return {
    RETENTION_DAYS: String(stage.retentionDays),
    STAGE_CAPS: JSON.stringify(stage.caps),
    OTP_HOLD: JSON.stringify(stage.otpHold),
    SMS_ORIGINATION_IDENTITY: stage.smsOriginationIdentity,
    ...(stage.smsOriginationIdentity === '' ? {} : { STAGE_SMS_SENDER: stage.smsOriginationIdentity }),
    SMS_OPT_OUT_LIST: stage.smsOptOutList,
    SMS_CONFIGURATION_SET: smsConfigurationSet(stage),
    ...(stage.smsProtectConfigurationId === undefined
      ? {}
      : { SMS_PROTECT_CONFIGURATION: stage.smsProtectConfigurationId }),
    WHATSAPP_PHONE_NUMBER_ID: stage.whatsappPhoneNumberId,
    META_API_VERSION: stage.metaApiVersion,
    ...(stage.whatsappOtpTemplate === undefined ? {} : { WHATSAPP_OTP_TEMPLATE: stage.whatsappOtpTemplate }),
    OPT_OUT_WORDS: JSON.stringify(stage.optOutWords),
    CURRENCY: stage.prices.currency,
    COUNTRY: stage.country,
    ALLOWED_COUNTRIES: stage.allowedCountries === 'all' ? 'all' : stage.allowedCountries.join(','),
    SMS_CARRIER: stage.smsCarrier,
    WHATSAPP_CARRIER: stage.whatsappCarrier,
    WEBHOOK_PORTS: stage.webhookPorts === 'any' ? 'any' : stage.webhookPorts.join(','),
    WEBHOOK_ALLOW_HTTP: String(stage.webhookAllowHttp),
    WEBHOOK_ALLOW_LOOPBACK: String(stage.webhookAllowLoopback),
    WEBHOOK_TIME_SCALE: String(stage.webhookTimeScale),
    SCHEDULE_LEAD_SECONDS: String(stage.scheduleLeadSeconds),
    TOKEN_AUDIENCE: `${stage.stackName}/api`,
  };
}
