/** Ends a process, as far as its ports can tell, at a chosen call: before it took effect, or after and unanswered. */

export class Killed extends Error {
  override readonly name = 'Killed';
}

export interface Kill {
  /**
   * The call at which the process dies, counted over all ports that share this object. If the number is never reached, it does
   * not die.
   */
  readonly at: number;
  readonly when: 'before' | 'after';
  calls: number;
}

export function noKill(): Kill {
  return { at: -1, when: 'before', calls: 0 };
}

/** Returns the port of a process that dies by `kill`. After that, no call takes effect. */
export function killable<Port extends object>(port: Port, kill: Kill): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const index = kill.calls;
        kill.calls += 1;
        const dead = kill.at >= 0 && index > kill.at;
        if (dead || (index === kill.at && kill.when === 'before')) throw new Killed();
        const result: unknown = await Reflect.apply(method, target, args);
        if (index === kill.at) throw new Killed();
        return result;
      };
    },
  });
}
