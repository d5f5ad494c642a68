/**
 * Reads a stage's settings from a JSON file, so that a later deploy cannot forget one. The team keeps this file in its
 * repository. `-c` overrides single values.
 */
import { existsSync, readFileSync } from 'node:fs';
import { InvalidSettings } from './stage-settings.ts';

/** Returns the path of a stage's settings file, in the folder from which it is deployed. */
export function settingsFileOf(stage: string): string {
  return `settings.${stage}.json`;
}

/**
 * Returns the context with the settings from a file: the one in `-c settingsFile=`, or the stage's default file if it
 * exists. Values in the context take precedence over the file.
 *
 * @throws Error that names the file, if the file cannot be read or contains no settings
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
  // The file belongs to one stage, so it must not choose another.
  if ('stage' in read) throw new InvalidSettings(`settingsFile, ${file}: choose the stage with -c stage=`);
  return { ...read };
}
