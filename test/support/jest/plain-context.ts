/**
 * Jest's Node environment, with an ordinary context for each test file. Jest's own context asks a proxy, in JavaScript,
 * for every global variable that the code names (`Math`, `JSON`, `Date`), which takes a third of the time of tests that
 * compute. As before, each file has its own globals and its own instance of every module.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

// A worker that has run many files takes up to a second to free its memory, and Jest says of one that has not ended after
// half a second that its tests leak. Here nothing is left to do; a worker with something open does not come here.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

export default class PlainContext extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...options);
    } finally {
      vm.createContext = createContext;
    }
    if (this.context !== this.global) throw new Error('Jest made this context in another way');
  }
}
