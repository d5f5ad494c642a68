/** The settings of a stage in a file, and the deploy that forgets one. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { changedSettingsIn, publishedSettings } from '../../lib/constructs/stack-outputs.ts';
import { compareSettings } from '../../lib/stages/compare-settings.ts';
import { settingsFileOf, withSettingsFile } from '../../lib/stages/settings-file.ts';
import { droppedSettings, stageFrom } from '../../lib/stages/stages.ts';
import { page } from '../support/docs/pages.ts';
import { synthesized } from '../support/template/stage-templates.ts';

const folder = process.cwd();
afterEach(() => process.chdir(folder));

function written(name: string, content: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'settings-')), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('the settings of a stage in a file', () => {
  it('are read from the file that the command names, and `-c` takes precedence', () => {
    const settingsFile = written('ours.json', { retentionDays: 14, country: 'FR', tracing: true });
    const stage = stageFrom(withSettingsFile({ settingsFile, country: 'DE' }));
    expect([stage.retentionDays, stage.country, stage.tracing]).toEqual([14, 'DE', true]);
  });

  it("are read from the stage's own file without being named, so that no deploy forgets them", () => {
    const path = written(settingsFileOf('dev'), { retentionDays: 14 });
    process.chdir(join(path, '..'));
    expect(stageFrom(withSettingsFile({})).retentionDays).toBe(14);
    expect(withSettingsFile({ stage: 'production' })).toEqual({ stage: 'production' });
  });

  it('that are invalid end the synthesis with every fault, and without a stack trace', () => {
    // As the CDK's command line passes what follows `-c`.
    const context = { stage: 'dev', nonsense: 1, retentionDays: -1 };
    const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/app.ts')], {
      env: { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr.split('\n').filter((line) => !/ExperimentalWarning|--trace-warnings/.test(line))).toEqual([
      'stage dev has invalid settings:',
      '  nonsense: there is no such setting',
      expect.stringMatching(/^ {2}retentionDays: /),
      '',
    ]);
  });

  it.each<[unknown, string]>([
    ['{', 'SyntaxError'],
    [[], 'an object of settings'],
    [{ stage: 'production' }, 'stage is chosen by -c stage='],
  ])('are refused with the name of the file: %j', (content, fault) => {
    const settingsFile = written('ours.json', content);
    expect(() => withSettingsFile({ settingsFile })).toThrow(`settingsFile, ${settingsFile}: `);
    expect(() => withSettingsFile({ settingsFile })).toThrow(fault);
  });

  it('are refused if the named file is missing, or a name is no setting, with the one that was meant', () => {
    expect(() => withSettingsFile({ settingsFile: 'missing.json' })).toThrow('ENOENT');
    const settingsFile = written('ours.json', { alarm: { mail: 'on-call@example.com' } });
    expect(() => stageFrom(withSettingsFile({ settingsFile }))).toThrow(
      'alarm: there is no such setting. Did you mean alarms?',
    );
  });

  it('have a sample that deploys production once each of its values is replaced', () => {
    expect(page('docs/deploy.md')).toContain(
      `cp lib/stages/settings-sample.json ${settingsFileOf('production')}`,
    );
    const settingsFile = join(folder, 'lib/stages/settings-sample.json');
    const countries = join(folder, 'lib/stages/countries-sample.json');
    const { countries: _, ...sample } = withSettingsFile({ settingsFile });
    const deployWith = (own: object) => () =>
      stageFrom(withSettingsFile({ stage: 'production', settingsFile, countries, ...own }));
    const values = { ...sample, alarms: (sample.alarms as { mail: string }).mail };
    for (const [name, value] of Object.entries(values))
      expect(deployWith({})).toThrow(`${name}: ${value} is only the sample's value; put in your own`);
    expect(
      deployWith({
        alarms: { mail: 'on-call@example.com' },
        smsOriginationIdentity: '12345',
        whatsappPhoneNumberId: 'phone-number-id-1',
      }),
    ).not.toThrow();
    expect(() => stageFrom({ ...sample, stage: 'local' })).not.toThrow();
  });
});

describe('a deploy that drops a setting', () => {
  const deployed = (context: Record<string, unknown>) =>
    changedSettingsIn(publishedSettings(stageFrom(context)));

  it('is told which: the deploy before recorded what it changed', () => {
    const recorded = deployed({ alarms: { mail: 'on-call@example.com' }, country: 'FR', retentionDays: 14 });
    expect(recorded).toEqual(['alarms', 'country', 'retentionDays']);
    expect(droppedSettings(recorded, stageFrom({ retentionDays: 7 }))).toEqual(['alarms', 'country']);
    expect(droppedSettings(recorded, stageFrom({ alarms: {}, country: 'FR' }))).toEqual(['retentionDays']);
  });

  it('says so by a warning of the synthesis, with the file to write it into, and nothing of what is kept', () => {
    const outputs = publishedSettings(stageFrom({ tracing: true, alarms: { mail: 'a@example.com' } }));
    const warningsWith = (context: Record<string, unknown>): string[] => {
      const stack = new Stack(new App());
      compareSettings(stack, stageFrom(context), outputs);
      return stack.node.metadata
        .filter(({ type }) => type === 'aws:cdk:warning')
        .map(({ data }) => String(data));
    };
    expect(warningsWith({ tracing: true })).toEqual([
      expect.stringMatching(/had a value for alarms, and this one has none.* settings\.dev\.json/),
    ]);
    expect(warningsWith({ tracing: true, alarms: { mail: 'b@example.com' } })).toEqual([]);
  });

  it('hears nothing of settings for one deploy, of new ones, and after a release that recorded none', () => {
    const once = { ignoreAlarmConfiguration: true };
    expect(deployed(once)).toEqual(['ignoreAlarmConfiguration']);
    expect(droppedSettings(deployed(once), stageFrom({ tracing: true }))).toEqual([]);
    expect(changedSettingsIn({})).toEqual([]);
  });

  it('records every setting of production with all optional parts', () => {
    const { ChangedSettings } = synthesized('production with everything').outputs;
    expect(changedSettingsIn({ ChangedSettings: String(ChangedSettings?.Value) })).toEqual([
      'alarms',
      'countries',
      'customDomain',
      'dashboard',
      'functionConcurrency',
      'provisionedCapacity',
      'region',
      'smsOriginationIdentity',
      'tokenKeyGenerations',
      'trustedProxies',
      'whatsappPhoneNumberId',
    ]);
  });
});
