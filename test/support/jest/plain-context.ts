/**
 * Jest's Node environment, with an ordinary context for each test file. Jest's own context asks a proxy, in JavaScript,
 * for every global variable that the code names (`Math`, `JSON`, `Date`), which takes a third of the time of tests that
 * compute. As before, each file has its own globals and its own instance of every module; but what a worker has parsed
 * for one file, it does not parse again for the next: Jest's own modules alone take 30 ms of each file.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

// A worker that has run many files takes up to a second to free its memory, and Jest says of one that has not ended after
// half a second that its tests leak. Here nothing is left to do; a worker with something open does not come here.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

const parsed = { functions: new Map<string, Buffer>(), modules: new Map<string, Buffer>() };
const { compileFunction, SourceTextModule } = vm;

vm.compileFunction = (source, params, options) => {
  const cachedData = parsed.functions.get(source);
  const produceCachedData = cachedData === undefined;
  const made = compileFunction(source, params, { ...options, cachedData, produceCachedData });
  if (made.cachedData !== undefined) parsed.functions.set(source, made.cachedData);
  return made;
};

vm.SourceTextModule = class extends SourceTextModule {
  /** Missing from `@types/node`. */
  declare createCachedData: () => Buffer;

  constructor(source: string, options?: vm.SourceTextModuleOptions) {
    const cachedData = parsed.modules.get(source);
    super(source, { ...options, cachedData });
    if (cachedData === undefined) parsed.modules.set(source, this.createCachedData());
  }
};

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
