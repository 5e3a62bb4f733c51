import { defineConfig, devices } from '@playwright/test';
import type { PlatformTestOptions } from 'countersign/playwright';

/** Another Chromium than the one that `npx playwright install chromium` brings. */
const executablePath = process.env['CHROME_PATH'];

export default defineConfig<PlatformTestOptions>({
  testDir: 'tests',
  forbidOnly: Boolean(process.env['CI']),
  reporter: process.env['CI'] ? [['list'], ['html', { open: 'never' }]] : 'list',
  use: {
    // What production checks is checked: attestations, assertions, signatures.
    platformOptions: { proofs: 'real', world: 'ready-made' },
    trace: 'retain-on-failure',
    ...(executablePath && { launchOptions: { executablePath } }),
  },
  projects: [{ name: 'chromium', use: devices['Desktop Chrome'] }],
});
