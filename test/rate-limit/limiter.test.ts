import { describe } from '@jest/globals';
import { limiterConformance } from './limiter-conformance.ts';

describe('the limiter on the emulator', () => limiterConformance('ministack'));
