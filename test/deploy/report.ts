/** What a run has shown so far: each statement once, with what was seen where it does not hold. */

export interface Report {
  /** States something that was seen, and whether it is what it should be. */
  show(holds: boolean, what: string, otherwise?: string): void;
  remark(what: string): void;
  part<Result>(name: string, run: () => Promise<Result>): Promise<Result>;
  /** An error ends this part of the run and counts as a failed statement. */
  broke(error: unknown): void;
  /** The last line, and the exit status. */
  end(): number;
}

export function startReport(print: (line: string) => void): Report {
  let passed = 0;
  let failed = 0;
  let current = 'setting up';

  function show(holds: boolean, what: string, otherwise = ''): void {
    if (holds) passed += 1;
    else failed += 1;
    print(`  ${holds ? '✓' : '✗'} ${what}${holds || otherwise === '' ? '' : `\n      ${otherwise}`}`);
  }
  return {
    show,
    remark: (what) => print(`      ${what}`),
    async part(name, run) {
      current = name;
      const started = Date.now();
      print(name);
      const result = await run();
      print(`  ${((Date.now() - started) / 1000).toFixed(1)} s`);
      return result;
    },
    broke: (error) => show(false, current, String(error)),
    end() {
      print(`${passed} passed, ${failed} failed`);
      return failed === 0 ? 0 : 1;
    },
  };
}
