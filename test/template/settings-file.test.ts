/** The settings of a stage in a file. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { settingsFileOf, withSettingsFile } from '../../lib/stages/settings-file.ts';
import { stageFrom } from '../../lib/stages/stages.ts';
import { page } from '../support/docs/pages.ts';

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
    [{ stage: 'production' }, 'choose the stage with -c stage='],
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
      expect(deployWith({})).toThrow(
        `${name}: ${value} is only the sample's value; replace it with your own`,
      );
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
