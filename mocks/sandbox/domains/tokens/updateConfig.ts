import { openPlatformAccount } from '../accounts/procedures/accounts.ts';
import { operation } from '../operation.ts';
import { platformConfig } from './procedures.ts';
import { configs, viewConfig } from './records.ts';
import { checkSupported } from './rules.ts';

/** PATCH /config: changes single fields. A new currency opens an account of the platform itself (D41, D68). */
export const updateConfig = operation('updateConfig', {
  async handle({ body }, unit) {
    const config = await platformConfig(unit);
    checkSupported(body.supportedCurrencies);
    const embeddedWalletConfig = { ...config.embeddedWalletConfig, ...body.embeddedWalletConfig };
    const changed = { ...config, ...body, embeddedWalletConfig, updatedAt: unit.now() };
    for (const { currencyCode } of changed.supportedCurrencies) await openPlatformAccount(unit, currencyCode);
    return { status: 200, body: viewConfig(await configs.replace(unit, config, changed)) };
  },
});
