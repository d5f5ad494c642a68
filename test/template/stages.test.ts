import { describe, expect, it } from '@jest/globals';
import { stageVariables } from '../../lib/stages/stage-variables.ts';
import { stageFrom, stages } from '../../lib/stages/stages.ts';
import { readEnvironment } from '../../shared/platform/env.ts';

describe('the settings of a stage', () => {
  it('are those of dev by default', () => {
    expect(stageFrom({})).toEqual(stages.dev);
  });

  it('are parsed from the text of a command line, for all types', () => {
    const changed = stageFrom({
      logRetentionDays: '30',
      tracing: 'true',
      smsOriginationIdentity: '12345',
      webhookPorts: '[443,8443]',
      apiThrottle: '{"requestsPerSecond":5,"burst":10}',
    });
    expect(changed).toEqual({
      ...stages.dev,
      logRetentionDays: 30,
      tracing: true,
      smsOriginationIdentity: '12345',
      webhookPorts: [443, 8443],
      apiThrottle: { requestsPerSecond: 5, burst: 10 },
    });
  });

  it('ignore context entries of the CDK', () => {
    expect(stageFrom({ '@aws-cdk/core:x': true, 'aws:cdk:bundling-stacks': ['**'] })).toEqual(stages.dev);
  });

  it('report all invalid entries at once, each with what it should be', () => {
    const refused = () =>
      stageFrom({ stage: 'production', alarmEmail: 'nobody', retentionDays: '0', retentoinDays: '9' });
    expect(refused).toThrow(/^stage production has invalid settings:/);
    expect(refused).toThrow('retentoinDays: there is no such setting');
    expect(refused).toThrow('alarmEmail: Invalid email address');
    expect(refused).toThrow('retentionDays: Too small');
  });

  it('have prices in the form in which the functions read them', () => {
    const prices = (currency: string) => `{"currency":"${currency}","sms":{"GB":0.04},"whatsapp":{}}`;
    expect(stageFrom({ prices: prices('EUR') }).prices.sms).toEqual({ GB: 0.04 });
    expect(() => stageFrom({ prices: prices('euro') })).toThrow('prices.currency: Invalid string');
  });

  it('have caps for every client: in production on what it spends, elsewhere none', () => {
    expect([stages.local.caps, stages.dev.caps]).toEqual([{}, {}]);
    expect(stages.production.caps).toEqual({ spend: { perDay: 100, perMonth: 1000 } });
    const caps = '{"messages":{"perHour":500},"spend":{"perDay":12.5}}';
    expect(stageFrom({ caps }).caps).toEqual({ messages: { perHour: 500 }, spend: { perDay: 12.5 } });
    for (const wrong of [
      '{"spend":{"perDay":0}}',
      '{"spend":{"perHour":5}}',
      '{"messages":{"perDay":1.5}}',
      '{"mesages":{}}',
    ])
      expect(() => stageFrom({ caps: wrong })).toThrow('caps');
  });

  it('are read by the functions as they are set, whatever their type', () => {
    const stage = stageFrom({
      caps: '{"messages":{"perHour":500}}',
      allowedCountries: '["GB","US"]',
      optOutWords: '["ARRÊT"]',
      smsOriginationIdentity: '12345',
      whatsappOtpTemplate: 'code/en_GB',
    });
    const variables = stageVariables(stage);
    expect(
      readEnvironment(
        [
          'STAGE_CAPS',
          'ALLOWED_COUNTRIES',
          'OPT_OUT_WORDS',
          'SMS_ORIGINATION_IDENTITY',
          'STAGE_SMS_SENDER',
          'WHATSAPP_OTP_TEMPLATE',
          'WEBHOOK_PORTS',
          'WEBHOOK_ALLOW_HTTP',
          'RETENTION_DAYS',
          'OTP_HOLD',
          'SMS_CONFIGURATION_SET',
          'SMS_PROTECT_CONFIGURATION',
        ],
        variables,
      ),
    ).toEqual({
      STAGE_CAPS: { messages: { perHour: 500 } },
      ALLOWED_COUNTRIES: ['GB', 'US'],
      OPT_OUT_WORDS: ['ARRÊT'],
      SMS_ORIGINATION_IDENTITY: '12345',
      STAGE_SMS_SENDER: '12345',
      WHATSAPP_OTP_TEMPLATE: 'code/en_GB',
      WEBHOOK_PORTS: [80, 443],
      WEBHOOK_ALLOW_HTTP: false,
      RETENTION_DAYS: 30,
      OTP_HOLD: stage.otpHold,
      SMS_CONFIGURATION_SET: stage.stackName,
    });
  });

  it('report what production still needs', () => {
    expect(() => stageFrom({ stage: 'production' })).toThrow(
      'whatsappPhoneNumberId: phone-number-id-… of AWS End User Messaging Social',
    );
  });

  it('let no stage on AWS call loopback addresses', () => {
    expect(() => stageFrom({ webhookAllowLoopback: 'true' })).toThrow('only the local stage');
  });

  it('report the existing stages', () => {
    expect(() => stageFrom({ stage: 'staging' })).toThrow(
      'no stage "staging"; there are: local, dev, production',
    );
  });
});
