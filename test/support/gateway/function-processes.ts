/** The processes in which the emulator runs functions: each is a child of its own process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface FunctionProcess {
  readonly pid: number;
  /** The command line, which contains the function's name. */
  readonly command: string;
}

export async function functionProcesses(emulatorPid: number): Promise<FunctionProcess[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === emulatorPid && command.includes('node') ? [{ pid: Number(pid), command }] : [];
  });
}

/** Kills the process at once. Returns false if it had already ended. */
export function killProcess({ pid }: FunctionProcess): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
