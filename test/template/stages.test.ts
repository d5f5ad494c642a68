import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sampleCountriesFile } from '../../lib/stages/countries-file.ts';
import { stageVariables } from '../../lib/stages/stage-variables.ts';
import { stageFrom, stages } from '../../lib/stages/stages.ts';
import { readVariable } from '../../shared/platform/env.ts';

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
      stageFrom({ stage: 'production', alarms: { mail: 'nobody' }, retentionDays: '0', retentoinDays: '9' });
    expect(refused).toThrow(/^stage production has invalid settings:/);
    expect(refused).toThrow('retentoinDays: there is no such setting');
    expect(refused).toThrow('alarms.mail: an e-mail address');
    expect(refused).toThrow('retentionDays: Too small');
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
      countries: { currency: 'EUR', countries: { GB: {}, US: {} } },
      optOutWords: '["ARRÊT"]',
      smsOriginationIdentity: '12345',
      whatsappOtpTemplate: 'code/en_GB',
    });
    const variables = stageVariables(stage);
    const expected = {
      STAGE_CAPS: { messages: { perHour: 500 } },
      ALLOWED_COUNTRIES: ['GB', 'US'],
      OPT_OUT_WORDS: ['ARRÊT'],
      SMS_ORIGINATION_IDENTITY: '12345',
      STAGE_SMS_SENDER: undefined,
      WHATSAPP_OTP_TEMPLATE: 'code/en_GB',
      WEBHOOK_PORTS: [80, 443],
      WEBHOOK_ALLOW_HTTP: false,
      RETENTION_DAYS: 30,
      OTP_HOLD: stage.otpHold,
      SMS_CONFIGURATION_SET: stage.stackName,
    };
    const read = Object.keys(expected).map((name) => [name, readVariable(name, variables)] as const);
    expect(Object.fromEntries(read)).toEqual(expected);
    // It is a sender of AWS.
    expect(stageVariables({ ...stage, smsCarrier: 'aws' }).STAGE_SMS_SENDER).toBe('12345');
  });

  it('report what production still needs: no sender has a default', () => {
    const production = () => stageFrom({ stage: 'production' });
    expect(production).toThrow('whatsappPhoneNumberId: phone-number-id-… of AWS End User Messaging Social');
    expect(production).toThrow(
      'smsOriginationIdentity: the number, sender ID or pool from which messages are sent',
    );
  });

  it('decides about an unknown hand-over by the kind of the message, unless it is set', () => {
    const { onUnknown, local } = stageFrom({});
    expect(onUnknown).toEqual({ otp: 'send_again', promotional: 'wait', other: 'wait' });
    expect(local.unknownDeadlineSeconds).toEqual({ otp: 30, other: 300 });
    const set = { otp: 'wait', promotional: 'wait', other: 'send_again' };
    expect(stageFrom({ onUnknown: set }).onUnknown).toEqual(set);
  });

  it.each(['smsCarrier', 'whatsappCarrier'])(
    'refuse the simulator in production, whose receipts report deliveries that never happened: %s',
    (carrier) => {
      expect(() => stageFrom({ stage: 'production', [carrier]: 'simulator' })).toThrow(
        `${carrier}: aws or off: the simulator would report deliveries that never happened`,
      );
    },
  );

  it('can turn a channel off, which then needs no sender and no prices, but not both', () => {
    const countries = { currency: 'USD', countries: { GB: { sms: 0.04 } } };
    const smsOnly = {
      stage: 'production',
      countries,
      smsOriginationIdentity: '12345',
      whatsappCarrier: 'off',
    };
    expect(stageFrom(smsOnly).whatsappCarrier).toBe('off');
    expect(() => stageFrom({ ...smsOnly, smsCarrier: 'off' })).toThrow(
      'both cannot be off; use aws for one of the channels',
    );
  });

  it('take trusted proxies with a header that the proxies replace, never one that a caller can write into', () => {
    const proxies = (header: string, ...addresses: string[]) =>
      stageFrom({ trustedProxies: JSON.stringify({ addresses, header }) }).trustedProxies;
    expect(proxies('X-Real-IP', '192.0.2.0/24')).toEqual({
      addresses: ['192.0.2.0/24'],
      header: 'X-Real-IP',
    });
    expect(() => proxies('X-Forwarded-For', '192.0.2.0/24')).toThrow('a header that the proxies replace');
    expect(() => proxies('X-Real-IP')).toThrow('trustedProxies.addresses');
    expect(() => proxies('X-Real-IP', '192.0.2.1/33')).toThrow('trustedProxies.addresses');
  });

  it.each(['0.0.0.0/0', '128.0.0.0/1', '::/0', '2000::/3', '::/16', '::ffff:0:0/96', '0:0::1/16'])(
    'trust no block in which anybody can be: %s',
    (block) => {
      const trusting =
        (...addresses: string[]) =>
        () =>
          stageFrom({ trustedProxies: { addresses, header: 'X-Real-IP' } });
      expect(trusting('192.0.2.0/24', block)).toThrow(
        'trustedProxies.addresses.1: of /8 at least, or /16 for IPv6: every address in the block can claim',
      );
      expect(trusting('10.0.0.0/8', '2600:9000::/28', '::1/128', '::ffff:192.0.2.0/120')).not.toThrow();
    },
  );

  it('need alarms for a canary', () => {
    expect(() => stageFrom({ canary: 'true' })).toThrow('canary: needs the setting alarms');
    expect(() => stageFrom({ canary: 'true', alarms: '{}' })).not.toThrow();
  });

  describe('of the countries, where a message costs money', () => {
    const senders = { smsOriginationIdentity: '12345', whatsappPhoneNumberId: 'phone-number-id-1' };
    const production = { stage: 'production', ...senders };
    const real = { smsCarrier: 'aws', smsOriginationIdentity: '12345' };
    const given = (file: object | string): string => {
      const path = join(mkdtempSync(join(tmpdir(), 'countries-')), 'countries.json');
      writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
      return path;
    };

    it.each([
      ['production', production],
      ['another stage with a real carrier', real],
    ])('are required, and the error says what to write: %s', (_, context) => {
      expect(() => stageFrom(context)).toThrow(
        /countries: the countries .* a JSON file such as lib\/stages\/countries-sample.json/,
      );
      expect(() => stageFrom({ ...context, countries: sampleCountriesFile })).not.toThrow();
      const countries = { currency: 'EUR', countries: { GB: { sms: 0.04, whatsapp: 0.03 } } };
      expect(() => stageFrom({ ...context, countries })).not.toThrow();
    });

    it('are read from the file, with the calling codes of no country', () => {
      const countries = { GB: { sms: 0.04, whatsapp: 0.03 }, '+881': { sms: 1.5, whatsapp: 0.5 } };
      const stage = stageFrom({ ...production, countries: given({ currency: 'EUR', countries }) });
      expect(stage.allowedCountries).toEqual(['GB', '+881']);
      expect(stage.prices).toEqual({
        currency: 'EUR',
        sms: { GB: 0.04, '+881': 1.5 },
        whatsapp: { GB: 0.03, '+881': 0.5 },
      });
    });

    it.each<[object | string, string]>([
      ['{', 'SyntaxError'],
      [{ countries: {} }, 'currency'],
      [{ currency: 'USD', countries: {} }, 'countries: name at least one country'],
      [{ currency: 'USD', countries: { UK: { sms: 1 } } }, 'two-letter country code such as GB'],
      [{ currency: 'USD', countries: { '+44': { sms: 1 } } }, 'or one of +800'],
      [{ currency: 'USD', countries: { GB: { sms: 0 } } }, 'countries.GB.sms: must be above 0'],
      [{ currency: 'USD', countries: { GB: { sms: '0.04' } } }, 'countries.GB.sms: Invalid input'],
      [{ currency: 'USD', countries: { GB: { smss: 0.04 } } }, 'Unrecognized key: "smss"'],
      [{ currency: 'USD', countries: { GB: { sms: 0.04 } } }, 'a price above 0 for whatsapp to GB'],
      [{ currency: 'USD', countries: { '+881': { whatsapp: 1 } } }, 'a price above 0 for sms to +881'],
    ])('are refused in a file that is wrong, by name: %j', (file, fault) => {
      expect(() => stageFrom({ ...production, countries: given(file) })).toThrow(fault);
    });

    it('are refused if the file is missing, and are the only way to set what follows from them', () => {
      expect(() => stageFrom({ ...production, countries: 'missing.json' })).toThrow(
        'countries, missing.json: Error: ENOENT',
      );
      expect(() => stageFrom({ ...production, allowedCountries: ['GB'] })).toThrow(
        'allowedCountries: there is no such setting',
      );
    });
  });

  it.each([
    { webhookAllowLoopback: true },
    { webhookAllowHttp: true },
    { carrierBaseUrls: true },
    { webhookTimeScale: 100 },
    { scheduleLeadSeconds: 0 },
    { unknownDeadlineSeconds: { otp: 5, other: 10 } },
  ])('let only the local stage change %j', (local) => {
    for (const stage of ['dev', 'production'])
      expect(() => stageFrom({ stage, local })).toThrow('local: only the stage local has these settings');
    expect(stageFrom({ stage: 'local', local }).local).toEqual({ ...stages.local.local, ...local });
  });

  it.each([
    ['publicUrl', 'https://gateway.example.com/?a=1', 'without a user, a password, a query or a fragment'],
    ['publicUrl', 'https://gateway.example.com#top', 'without a user'],
    ['publicUrl', 'https://user:secret@gateway.example.com', 'without a user'],
    ['publicUrl', 'https://user@gateway.example.com', 'without a user'],
    ['publicUrl', 'https://gateway.example.com/', 'without a slash'],
    ['publicUrl', 'ftp://gateway.example.com', 'publicUrl'],
    ['functionConcurrency', { 'send-sms': { reserved: -1 } }, 'functionConcurrency.send-sms'],
    [
      'functionConcurrency',
      { 'dispatch-message': { reserved: 49 } },
      'dispatch-message needs at least 50 reserved',
    ],
    [
      'functionConcurrency',
      { 'deliver-webhook': { reserved: 50 } },
      'deliver-webhook needs at least 200 reserved',
    ],
    [
      'functionConcurrency',
      { 'record-receipt': { reserved: 0 } },
      'record-receipt needs at least 20 reserved',
    ],
    [
      'customDomain',
      { name: 'api.example.com', certificateArn: 'arn:x' },
      'certificateArn: an ARN such as arn:aws:acm',
    ],
  ])('refuse what cannot work: %s %j', (setting, value, fault) => {
    expect(() => stageFrom({ [setting]: value })).toThrow(fault);
  });

  it('take an address with a path, and what the queues of a function need', () => {
    const functionConcurrency = {
      'dispatch-message': { reserved: 50 },
      'deliver-webhook': { reserved: 200 },
      'send-sms': { reserved: 0 },
    };
    expect(stageFrom({ functionConcurrency }).functionConcurrency).toEqual(functionConcurrency);
    const publicUrl = 'https://gateway.example.com:8443/sms';
    expect(stageFrom({ publicUrl }).publicUrl).toBe(publicUrl);
  });

  it('report the existing stages', () => {
    expect(() => stageFrom({ stage: 'staging' })).toThrow(
      'no stage "staging"; there are: local, dev, production',
    );
  });
});
