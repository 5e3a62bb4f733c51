import { operation } from '../operation.ts';
import { platformConfig } from './procedures.ts';
import { viewConfig } from './records.ts';

/** GET /config. */
export const getConfig = operation('getConfig', {
  async handle(_call, unit) {
    return { status: 200, body: viewConfig(await platformConfig(unit)) };
  },
});
