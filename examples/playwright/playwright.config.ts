import { defineConfig, devices } from '@playwright/test';

/** Another Chromium than the one that `npx playwright install chromium` brings. */
const executablePath = process.env['CHROME_PATH'];

export default defineConfig({
  testDir: 'tests',
  forbidOnly: Boolean(process.env['CI']),
  reporter: process.env['CI'] ? [['list'], ['html', { open: 'never' }]] : 'list',
  use: { trace: 'retain-on-failure', ...(executablePath && { launchOptions: { executablePath } }) },
  projects: [{ name: 'chromium', use: devices['Desktop Chrome'] }],
});
