/**
 * Reads the settings of a stage from a JSON file, so that no later deploy forgets one. The team that deploys keeps the file in
 * its repository. `-c` overrides single values.
 */
import { existsSync, readFileSync } from 'node:fs';
import { InvalidSettings } from './stage-settings.ts';

/** Returns the file of a stage, in the folder from which it is deployed. */
export function settingsFileOf(stage: string): string {
  return `settings.${stage}.json`;
}

/**
 * Returns the context with the settings of a file: the one that `-c settingsFile=` names, or the stage's own if it exists.
 * Values of the context take precedence.
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
  // The file belongs to a stage, so it must not choose one.
  if ('stage' in read) throw new InvalidSettings(`settingsFile, ${file}: stage is chosen by -c stage=`);
  return { ...read };
}
