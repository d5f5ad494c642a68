/**
 * Reads the settings of a stage from a JSON file, so that a later deploy cannot forget a setting. The team that deploys
 * keeps the file in its repository. `-c` overrides single values.
 */
import { existsSync, readFileSync } from 'node:fs';
import { InvalidSettings } from './stage-settings.ts';

/** Returns the settings file of a stage, in the folder from which the stage is deployed. */
export function settingsFileOf(stage: string): string {
  return `settings.${stage}.json`;
}

/**
 * Returns the context with the settings from a file: the file that `-c settingsFile=` names, or the default file of the
 * stage if it exists. Values in the context take precedence over the file.
 *
 * @throws Error that names the file, if it cannot be read or contains no settings
 */
export function withSettingsFile({
  settingsFile,
  ...context
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const own = settingsFileOf(String(context.stage ?? 'dev'));
  const file = settingsFile ?? (existsSync(own) ? own : undefined);
  if (file === undefined) return context;
  return { ...settingsIn(String(file)), ...context };
}

function settingsIn(file: string): Readonly<Record<string, unknown>> {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new InvalidSettings(`settingsFile, ${file}: ${String(cause)}`, { cause });
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new InvalidSettings(
      `settingsFile, ${file}: an object of settings, such as {"alarms": {"mail": "…"}}`,
    );
  // The file belongs to one stage, so it must not select a stage.
  if ('stage' in read) throw new InvalidSettings(`settingsFile, ${file}: stage is chosen by -c stage=`);
  return { ...read };
}
